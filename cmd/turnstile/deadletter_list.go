package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/console/api"
	"github.com/turnstile-go/turnstile/deadletter"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
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
		short: "list messages that were given up, with their reason",
		long: paragraph(
			"Lists what is in the two final dead-letter queues: "+deadletter.DeadFIFO+" has what came by the",
			"orchestrator queue, "+deadletter.Dead+" what came by the others. Looking hides a message from",
			"others for that moment. Of one instance the first ten are seen, since a FIFO queue",
			"shows those behind only when these are gone."),
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
				letters, err := c.letters(ctx, &s, *limit)
				if err != nil {
					return err
				}
				return c.listLetters(letters)
			}
		},
	}
}

// letters returns the dead letters selected, at most limit of each queue.
func (c *cli) letters(ctx context.Context, s *deadletter.Selection, limit int) ([]*deadletter.Letter, error) {
	all, err := c.open(&c.settings).Queues(ctx)
	if err != nil {
		return nil, err
	}
	letters, more, err := all.Select(ctx, s, limit, c.poll)
	for _, name := range more {
		fmt.Fprintf(c.err, "there may be more in %s: raise --limit\n", name)
	}
	return letters, err
}

func (c *cli) listLetters(letters []*deadletter.Letter) error {
	if c.json() {
		out := make([]api.DeadLetter, len(letters))
		for i, l := range letters {
			out[i] = api.DeadLetterOf(l)
		}
		return c.printJSON(out)
	}
	if len(letters) == 0 {
		fmt.Fprintln(c.err, "no dead letters")
		return nil
	}
	t := term.NewTable("MESSAGE ID", "QUEUE", "AGE", "KIND", "INSTANCE", "REASON")
	behind := map[string]int{}
	for _, l := range letters {
		t.Row(term.Text(l.ID), term.Text(l.Queue),
			term.Cell{Text: span(max(c.now().Sub(l.SentAt), 0)), Whole: l.SentAt.UTC().Format(time.RFC3339)},
			term.Cell{Text: printable.Line(clip(l.Kind(), 24)), Whole: printable.Line(l.Kind())},
			term.Cell{Text: printable.Line(clip(l.Instance(), 60)), Whole: printable.Line(l.Instance())},
			term.Styled(term.Red, printable.Line(l.Why())))
		if l.Queue == deadletter.DeadFIFO {
			behind[l.Group]++
		}
	}
	t.Print(c.screen(c.out))
	for _, l := range letters {
		if behind[l.Group] >= queue.MaxReceive && l.Queue == deadletter.DeadFIFO {
			fmt.Fprintf(c.err, "there may be more for %s behind its first ten\n", printable.Line(l.Instance()))
			delete(behind, l.Group)
		}
	}
	return nil
}

func deadLetterShowCommand() *command {
	return &command{
		name: "dead-letter show", operands: "MESSAGE_ID", least: 1, most: 1,
		short: "show one of them whole, and what to do about it",
		long: paragraph(
			"Shows a dead letter with all of its reason, its attributes and its body, which may",
			"hold what your senders keep secret, and tokens; payloads that are sealed are opened,",
			"where their key is given."),
		examples: []string{"turnstile dead-letter show 0e9f6c1a-5f5e-4d8e-9d62-2f0a3f1c7b11"},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, operands []string) error {
				letters, err := c.letters(ctx, &deadletter.Selection{IDs: operands}, 1)
				if err != nil {
					return err
				}
				if len(letters) == 0 {
					return notThere(operands)
				}
				l := letters[0]
				codecs, err := c.settings.codecs()
				if err != nil {
					return err
				}
				opened, sealed, err := l.Opened(codecs)
				if err != nil {
					return err
				}
				if c.json() {
					out := api.DeadLetterOf(l)
					out.Attributes, out.Body, out.Opened = l.Attributes, l.Body, opened
					return c.printJSON(out)
				}
				c.show(l, opened)
				if sealed != nil {
					fmt.Fprintf(c.err, "%s\nto see its payloads: %s\n", message(sealed), keyAdvice)
				}
				return nil
			}
		},
	}
}

func notThere(ids []string) error {
	return notThereError{fmt.Errorf("no dead letter %s is to be seen: it was redriven or deleted, someone else looks at it right now (then it is back within a minute), or it stands behind ten others of its instance", strings.Join(ids, ", "))}
}

func (c *cli) show(l *deadletter.Letter, opened string) {
	t := newTable()
	t.row("message id", l.ID)
	t.row("queue", l.Queue+", goes back to "+l.Source())
	t.row("sent", moment(l.SentAt)+" ("+ago(c.now(), l.SentAt)+")")
	t.row("kind", printable.Line(l.Kind()))
	t.row("instance", printable.Line(l.Instance()))
	if l.Group != "" {
		t.row("group", printable.Line(l.Group))
	}
	if l.DedupID != "" {
		t.row("deduplication id", printable.Line(l.DedupID))
	}
	t.row("reason", printable.Line(l.Why()))
	if l.Unread != nil && (l.Text == "" || !strings.HasSuffix(l.Unread.Error(), l.Text)) {
		t.row("cannot be read", printable.Line(l.Unread.Error()))
	}
	t.print(c.out)
	others := newTable()
	for _, name := range sortedKeys(l.Attributes) {
		if name != wire.ReasonAttribute {
			others.row("  "+printable.Line(name), printable.Line(l.Attributes[name]))
		}
	}
	if len(others.rows) > 0 {
		fmt.Fprintln(c.out, "\nattributes")
		others.print(c.out)
	}
	body := l.Body
	if opened != "" {
		body = opened
		fmt.Fprintf(c.out, "\nsealed by %s, opened here\n", printable.Line(l.Item.Codec))
	}
	fmt.Fprintf(c.out, "\nbody\n  %s\n\nwhat to do: %s\n", indented([]byte(body), "  "), deadletter.Advice(l.Reason))
}
