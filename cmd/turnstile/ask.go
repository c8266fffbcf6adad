package main

import (
	"bufio"
	"context"
	"fmt"
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

// agreed asks for a yes. Where there is nobody to ask, the flag --yes says it.
func (c *cli) agreed(ctx context.Context, question string) (bool, error) {
	if !c.asks() {
		return false, usagef("%s Confirm with --yes, because this is not a terminal", question)
	}
	typed, err := c.answer(ctx, question+" [y/N] ")
	return strings.EqualFold(typed, "y") || strings.EqualFold(typed, "yes"), err
}
