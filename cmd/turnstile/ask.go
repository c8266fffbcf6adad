package main

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// answer asks somebody at the terminal, and returns the line that was typed.
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

// confirmed makes sure that somebody knows how many there are of what something would be done
// to: by their number, typed at the terminal or given by the flag --yes.
func (c *cli) confirmed(ctx context.Context, yes string, n int, what string) error {
	switch {
	case yes == "any", yes == strconv.Itoa(n):
		return nil
	case yes != "":
		return fmt.Errorf("--yes %s, but it would %s: nothing was done; look with --dry-run", yes, what)
	case !c.asks():
		return usagef("it would %s: confirm with --yes %d (or --yes any), because this is not a terminal", what, n)
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
		return usagef("--yes %q: the number of %s, as --dry-run says it, or any", yes, of)
	}
	return nil
}

// agreed asks for a yes. Where there is nobody to ask, the flag --yes says it.
func (c *cli) agreed(ctx context.Context, question string) (bool, error) {
	if !c.asks() {
		return false, usagef("%s Confirm with --yes, because this is not a terminal", question)
	}
	typed, err := c.answer(ctx, question+" [y/N] ")
	return strings.EqualFold(typed, "y") || strings.EqualFold(typed, "yes"), err
}
