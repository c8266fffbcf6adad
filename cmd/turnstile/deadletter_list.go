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
	flags.StringVar(&s.Queue, "queue", "", "only dead letters in this `QUEUE`: "+strings.Join(deadletter.Final(), " or "))
	flags.StringVar(&s.Reason, "reason", "", "only dead letters with this `REASON`; "+deadletter.NoReason+" for messages that SQS moved")
	flags.StringVar(&s.Instance, "instance", "", "only dead letters for this `INSTANCE`")
}

// checked turns an invalid selection into a usage error.
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
			"Lists the messages in the two final dead-letter queues: "+deadletter.DeadFIFO+" for the orchestrator",
			"queue, "+deadletter.Dead+" for all others. A message cannot be received by others while list reads it.",
			"For each instance, list shows the first ten messages: a FIFO queue hides the rest until these",
			"are removed."),
		examples: []string{
			"turnstile dead-letter list",
			"turnstile dead-letter list --reason unknown_instance --output json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var s deadletter.Selection
			declareSelection(&s, flags)
			limit := flags.Int("limit", 100, "at most `N` messages of each queue")
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

// peek returns the selected dead letters, at most limit of each queue.
func (c *cli) peek(ctx context.Context, s *deadletter.Selection, limit int, whole bool) (api.DeadLetters, error) {
	all, err := c.backend().Letters(ctx, c.poll)
	if err != nil {
		return api.DeadLetters{}, err
	}
	found, err := all.Peek(ctx, s, limit, whole)
	for _, name := range found.More {
		fmt.Fprintf(c.err, "%s may contain more dead letters: raise --limit\n", name)
	}
	return found, err
}

func (c *cli) listLetters(found api.DeadLetters) error {
	if c.json() {
		return c.printJSON(found)
	}
	if len(found.Letters) == 0 {
		fmt.Fprintln(c.err, "no dead letters")
		return nil
	}
	letters.List(c.screen(c.out), c.err, c.now(), found.Letters)
	return nil
}

func deadLetterShowCommand() *command {
	return &command{
		name: "dead-letter show", operands: "MESSAGE_ID", least: 1, most: 1,
		short: "show a dead letter, and what to do about it",
		long: paragraph(
			"Shows a dead letter with its full reason, its attributes and its body. The body may contain",
			"tokens and other secrets. Payloads are decoded with your keys."),
		examples: []string{"turnstile dead-letter show 0e9f6c1a-5f5e-4d8e-9d62-2f0a3f1c7b11"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, operands []string) error {
				found, err := c.peek(ctx, &deadletter.Selection{IDs: operands}, 1, true)
				if err != nil {
					return err
				}
				if len(found.Letters) == 0 {
					return notThere(operands)
				}
				l := &found.Letters[0]
				if c.json() {
					return c.printJSON(l)
				}
				letters.Show(c.out, c.now(), l)
				if l.DecodeError != "" {
					fmt.Fprintf(c.err, "%s\nto see its payloads: %s\n", printable.Line(l.DecodeError), keyfile.Advice)
				}
				return nil
			}
		},
	}
}

func notThere(ids []string) error {
	return notThereError{fmt.Errorf("dead letter %s not found: it was redriven or deleted, another reader has received it (try again in five minutes), or ten others of its instance precede it", strings.Join(ids, ", "))}
}
