package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// answer prints a question on the terminal and returns the line that the user types.
func (c *cli) answer(ctx context.Context, question string) (string, error) {
	fmt.Fprint(c.err, question)
	typed := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c.in).ReadString('\n')
		typed <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(c.err)
		return "", ctx.Err()
	case line := <-typed:
		return line, nil
	}
}

// confirmed makes the user confirm how many objects an action affects, by typing the number at
// the terminal or passing it with --yes. It returns nil if the user confirmed n.
func (c *cli) confirmed(ctx context.Context, yes string, n int, what string) error {
	switch {
	case yes == "any", yes == strconv.Itoa(n):
		return nil
	case yes != "":
		return fmt.Errorf("--yes %s, but the command would %s: nothing was done; check the selection with --dry-run", yes, what)
	case !c.asks():
		return usagef("the command would %s, and standard input is not a terminal: confirm with --yes %d, or --yes any", what, n)
	}
	typed, err := c.answer(ctx, fmt.Sprintf("%s?\nType %d to do it: ", what, n))
	switch {
	case err != nil:
		return fmt.Errorf("nothing was done: %w", err)
	case typed != strconv.Itoa(n):
		return fmt.Errorf("nothing was done: %q is not %d", typed, n)
	}
	return nil
}

// checkYes checks the value of --yes.
func checkYes(yes, of string) error {
	if n, err := strconv.Atoi(yes); yes != "" && yes != "any" && (err != nil || n < 0) {
		return usagef("--yes %q: must be the number of %s that --dry-run prints, or any", yes, of)
	}
	return nil
}

// agreed asks a yes-or-no question. Without a terminal it returns an error that names --yes.
func (c *cli) agreed(ctx context.Context, question string) (bool, error) {
	if !c.asks() {
		return false, usagef("%s Standard input is not a terminal: confirm with --yes", question)
	}
	typed, err := c.answer(ctx, question+" [y/N] ")
	return strings.EqualFold(typed, "y") || strings.EqualFold(typed, "yes"), err
}
