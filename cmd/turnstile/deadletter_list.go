package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/letters"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// declareSelection declares the flags that select dead letters.
func declareSelection(s *deadletter.Selection, flags *flag.FlagSet) {
	flags.StringVar(&s.Queue, "queue", "", "only of this `QUEUE`: "+strings.Join(deadletter.Final(), " or "))
	flags.StringVar(&s.Reason, "reason", "", "only with this `REASON`; "+deadletter.NoReason+" for what SQS moved itself")
	flags.StringVar(&s.Instance, "instance", "", "only for this `INSTANCE`")
}

// checked makes an error of a selection one of the command line.
func checked(err error) error {
	var invalid *deadletter.InvalidError
	if errors.As(err, &invalid) {
		return usagef("--%v", invalid)
	}
	return err
}

func deadLetterListCommand() *command {
	return &command{
		name: "dead-letter list", most: 0,
		short: "list dead letters with their reasons",
		long: paragraph(
			"Lists the messages of the two final dead-letter queues: "+deadletter.DeadFIFO+" for the orchestrator",
			"queue, "+deadletter.Dead+" for all others. While list reads a message, others cannot receive it. It",
			"shows the first ten of an instance: a FIFO queue hides the rest until these are gone."),
		examples: []string{
			"turnstile dead-letter list",
			"turnstile dead-letter list --reason unknown_instance --output json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var s deadletter.Selection
			declareSelection(&s, flags)
			limit := flags.Int("limit", 100, "at most `N` of each queue")
			return func(ctx context.Context, _ []string) error {
				if err := s.Check(); err != nil {
					return checked(err)
				}
				if *limit < 1 {
					return usagef("--limit %d: at least 1", *limit)
				}
				found, err := c.peek(ctx, &s, *limit, false)
				if err != nil {
					return err
				}
				return c.listLetters(found)
			}
		},
	}
}

// peek returns the dead letters selected, at most limit of each queue.
func (c *cli) peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) ([]api.DeadLetter, error) {
	all, err := c.backend().Letters(ctx, c.poll)
	if err != nil {
		return nil, err
	}
	found, err := all.Peek(ctx, s, limit, whole)
	for _, name := range found.More {
		fmt.Fprintf(c.err, "there may be more in %s: raise --limit\n", name)
	}
	return found.Letters, err
}

func (c *cli) listLetters(found []api.DeadLetter) error {
	if c.json() {
		return c.printJSON(found)
	}
	if len(found) == 0 {
		fmt.Fprintln(c.err, "no dead letters")
		return nil
	}
	letters.List(c.screen(c.out), c.err, c.now(), found)
	return nil
}

func deadLetterShowCommand() *command {
	return &command{
		name: "dead-letter show", operands: "MESSAGE_ID", least: 1, most: 1,
		short: "show a dead letter, and what to do about it",
		long: paragraph(
			"Shows a dead letter with its whole reason, its attributes and its body, which may contain",
			"secrets of your senders, and tokens. Sealed payloads are opened with your keys."),
		examples: []string{"turnstile dead-letter show 0e9f6c1a-5f5e-4d8e-9d62-2f0a3f1c7b11"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, operands []string) error {
				found, err := c.peek(ctx, &deadletter.Selection{IDs: operands}, 1, true)
				if err != nil {
					return err
				}
				if len(found) == 0 {
					return notThere(operands)
				}
				l := &found[0]
				if c.json() {
					return c.printJSON(l)
				}
				letters.Show(c.out, c.now(), l)
				if l.Sealed != "" {
					fmt.Fprintf(c.err, "%s\nto see its payloads: %s\n", printable.Line(l.Sealed), keyfile.Advice)
				}
				return nil
			}
		},
	}
}

func notThere(ids []string) error {
	return notThereError{fmt.Errorf("dead letter %s not found: it was redriven or deleted, another reader has it (try again in five minutes), or ten others of its instance come first", strings.Join(ids, ", "))}
}
