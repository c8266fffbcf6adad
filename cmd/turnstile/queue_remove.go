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
			"Takes out of template.yaml what `turnstile queue add NAME` has written. First deploy code",
			"that does not name the queue: what was scheduled before stays in it, with its retries.",
			"The command asks the stack whether the queue is empty, and writes nothing if it is not,",
			"because SQS deletes the messages of a queue with it, and their activities would never end.",
			"A stack that has no such queue is an error.",
			"It shows the difference and asks; nothing is deployed. It needs git.",
		),
		examples: []string{"turnstile queue remove gpu --stack shop", "turnstile queue remove gpu --undeployed"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			dry := flags.Bool("dry-run", false, "show the difference, and write nothing")
			yes := flags.Bool("yes", false, "write without asking")
			undeployed := flags.Bool("undeployed", false, "the queue was never deployed: do not ask the stack whether it is empty")
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

// isEmpty returns an error if the queue of the stack has messages, and if the stack has no such
// queue: it may be another stack than that which will be deployed.
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
		return fmt.Errorf("%s has no activity queue %s, and the queue of another stack may have messages: nothing was written; name the stack that has it with --stack, or give --undeployed if it was never deployed", at.Words, name)
	}
	if err != nil {
		return err
	}
	if q.Visible+q.InFlight+q.Delayed > 0 {
		return fmt.Errorf("queue %s of %s has %d attempts waiting, %d running and %d due later: their activities would never end. Deploy code that does not use the queue, and remove it when it is empty",
			name, at.Words, q.Visible, q.InFlight, q.Delayed)
	}
	fmt.Fprintf(c.err, "queue %s of %s is empty\n", name, at.Words)
	return nil
}
