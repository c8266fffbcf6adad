package main

import (
	"bufio"
	"fmt"

	naming "github.com/turnstile-go/turnstile/internal/names"
)

const (
	// manyInstances are the operands of commands that act on several instances.
	manyInstances = "[INSTANCE…]"
	// piped is the operand for ids on standard input.
	piped = "-"
)

// readIDs reads instance ids from standard input, one per line, as list --ids prints them. An id
// may contain any character except a line break. If a line is not an id, such as a row of a table,
// readIDs returns an error and no ids.
func (c *cli) readIDs() ([]string, error) {
	var ids []string
	lines := bufio.NewScanner(c.in)
	for n := 1; lines.Scan(); n++ {
		id := lines.Text()
		if id == "" {
			continue
		}
		if problem := naming.Instance(id); problem != "" {
			return nil, fmt.Errorf("line %d of standard input is not an instance id: %s; nothing was done. `turnstile list --ids` prints ids, one per line", n, problem)
		}
		ids = append(ids, id)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading ids from standard input: %w; nothing was done", err)
	}
	c.idsRead = true
	return ids, nil
}
