package main

import (
	"context"
	"errors"
	"fmt"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

func queueRemoveCommand() *command {
	return &command{
		name: "queue remove", operands: "NAME", least: 1, most: 1,
		short: "remove an activity queue and its function from template.yaml of this folder",
		long: paragraph(
			"Removes from template.yaml what `turnstile queue add NAME` added. First deploy code that does not",
			"use the queue, and wait until it is empty: activities that were scheduled earlier stay in it, with",
			"their retries. The command checks that the stack's queue is empty. If it is not, the command",
			"writes nothing, because SQS deletes a queue with its messages, and their activities would never",
			"end. A stack without the queue is an error. The command shows the difference and asks; nothing is",
			"deployed. It requires git.",
		),
		examples: []string{"turnstile queue remove gpu --stack shop", "turnstile queue remove gpu --undeployed"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			dry := flags.Bool("dry-run", false, "show the difference and write nothing")
			yes := flags.Bool("yes", false, "write without asking")
			undeployed := flags.Bool("undeployed", false, "the queue was never deployed: do not check that it is empty")
			return func(ctx context.Context, operands []string) error {
				return c.removeQueue(ctx, operands[0], *undeployed, *dry, *yes)
			}
		},
	}
}

func (c *cli) removeQueue(ctx context.Context, name string, undeployed, dry, yes bool) error {
	own, err := templateForQueue(name)
	if err != nil {
		return err
	}
	without, err := scaffold.RemoveQueue(string(own), name)
	if err != nil {
		return fmt.Errorf("queue remove: %w", err)
	}
	if !undeployed && !dry {
		if err := c.isEmpty(ctx, name); err != nil {
			return err
		}
	}
	_, err = c.writesTemplate(ctx, own, without, dry, yes)
	return err
}

// isEmpty returns an error if the stack's queue has messages. A missing queue is an error too,
// because the stack may not be the one that will be deployed.
func (c *cli) isEmpty(ctx context.Context, name string) error {
	at, err := c.backend().Place(ctx)
	if err != nil {
		return err
	}
	stack, err := c.backend().Stack(ctx)
	if err != nil {
		return err
	}
	q, err := stack.Queue(ctx, deadletter.Activity+":"+name)
	if errors.Is(err, pausing.ErrNoQueue) {
		return fmt.Errorf("%s has no activity queue %s: nothing was written, because another stack's queue may have messages; name the stack that has the queue with --stack, or pass --undeployed if it was never deployed", at.Words, name)
	}
	if err != nil {
		return err
	}
	if q.Visible+q.InFlight+q.Delayed > 0 {
		return fmt.Errorf("queue %s of %s has %d waiting, %d running and %d delayed attempts: their activities would never end. Deploy code that does not use the queue, and remove the queue when it is empty",
			name, at.Words, q.Visible, q.InFlight, q.Delayed)
	}
	fmt.Fprintf(c.err, "queue %s of %s is empty\n", name, at.Words)
	return nil
}
