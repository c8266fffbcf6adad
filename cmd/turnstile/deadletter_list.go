package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

func (s *selection) declare(flags *flag.FlagSet) {
	flags.StringVar(&s.queue, "queue", "", "only of this `QUEUE`: "+deadFIFOQueue+" or "+deadQueue)
	flags.StringVar(&s.reason, "reason", "", "only with this `REASON`; "+noReason+" for what SQS moved itself")
	flags.StringVar(&s.instance, "instance", "", "only for this `INSTANCE`")
}

func deadLetterListCommand() *command {
	return &command{
		name: "dead-letter list", most: 0,
		short: "list messages that were given up, with their reason",
		long: paragraph(
			"Lists what is in the two final dead-letter queues: "+deadFIFOQueue+" has what came by the",
			"orchestrator queue, "+deadQueue+" what came by the others. Looking hides a message from",
			"others for that moment. Of one instance the first ten are seen, since a FIFO queue",
			"shows those behind only when these are gone."),
		examples: []string{
			"turnstile dead-letter list",
			"turnstile dead-letter list --reason unknown_instance --output json",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var s selection
			s.declare(flags)
			limit := flags.Int("limit", 100, "at most `N` of each queue")
			return func(ctx context.Context, _ []string) error {
				if err := s.check(); err != nil {
					return err
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
func (c *cli) letters(ctx context.Context, s *selection, limit int) ([]*letter, error) {
	all, err := c.open(&c.settings).Queues(ctx)
	if err != nil {
		return nil, err
	}
	var letters []*letter
	for _, name := range s.queues() {
		n := 0
		err := c.look(ctx, all[name], name, func(l *letter) (verdict, error) {
			if !s.has(l) {
				return verdict{}, nil
			}
			letters = append(letters, l)
			n++
			return verdict{last: n == limit}, nil
		})
		if err != nil {
			return nil, err
		}
		if n == limit && len(s.ids) == 0 {
			fmt.Fprintf(c.err, "there may be more in %s: raise --limit\n", name)
		}
	}
	return letters, nil
}

// letterJSON is a dead letter as --output json prints it.
type letterJSON struct {
	MessageID string `json:"message_id"`
	Queue     string `json:"queue"`
	Source    string `json:"source"`
	Reason    string `json:"reason,omitempty"`
	// ReasonText is what stands behind the reason's word.
	ReasonText   string            `json:"reason_text,omitempty"`
	Kind         string            `json:"kind"`
	Instance     string            `json:"instance,omitempty"`
	Group        string            `json:"group,omitempty"`
	DedupID      string            `json:"dedup_id,omitempty"`
	SentAt       time.Time         `json:"sent_at"`
	ReceiveCount int               `json:"receive_count"`
	Attributes   map[string]string `json:"attributes,omitempty"`
	Body         string            `json:"body,omitempty"`
	// Opened is the body with plain payloads, where they were sealed.
	Opened string `json:"opened,omitempty"`
}

func (l *letter) json() letterJSON {
	return letterJSON{
		MessageID: l.ID, Queue: l.queue, Source: l.source(), Reason: string(l.reason), ReasonText: l.text,
		Kind: l.kind(), Instance: l.instance(), Group: l.Group, DedupID: l.DedupID,
		SentAt: l.SentAt.UTC(), ReceiveCount: l.ReceiveCount,
	}
}

func (c *cli) listLetters(letters []*letter) error {
	if c.json() {
		out := make([]letterJSON, len(letters))
		for i, l := range letters {
			out[i] = l.json()
		}
		return c.printJSON(out)
	}
	if len(letters) == 0 {
		fmt.Fprintln(c.err, "no dead letters")
		return nil
	}
	t := newTable()
	t.row("MESSAGE ID", "QUEUE", "AGE", "KIND", "INSTANCE", "REASON")
	behind := map[string]int{}
	for _, l := range letters {
		t.row(l.ID, l.queue, span(max(c.now().Sub(l.SentAt), 0)), printable(clip(l.kind(), 24)), printable(clip(l.instance(), 60)), clip(l.why(), 100))
		if l.queue == deadFIFOQueue {
			behind[l.Group]++
		}
	}
	t.print(c.out)
	for _, l := range letters {
		if behind[l.Group] >= queue.MaxReceive && l.queue == deadFIFOQueue {
			fmt.Fprintf(c.err, "there may be more for %s behind its first ten\n", printable(l.instance()))
			delete(behind, l.Group)
		}
	}
	return nil
}

// why is the reason and its text in a line.
func (l *letter) why() string {
	if l.reason == "" {
		return "moved by SQS after its last receive"
	}
	return printable(strings.TrimSuffix(string(l.reason)+": "+l.text, ": "))
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
				letters, err := c.letters(ctx, &selection{ids: operands}, 1)
				if err != nil {
					return err
				}
				if len(letters) == 0 {
					return notThere(operands)
				}
				l := letters[0]
				opened, sealed, err := c.opened(l)
				if err != nil {
					return err
				}
				if c.json() {
					out := l.json()
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
	return fmt.Errorf("no dead letter %s is to be seen: it was redriven or deleted, someone else looks at it right now (then it is back within a minute), or it stands behind ten others of its instance", strings.Join(ids, ", "))
}

// opened is the body with plain payloads, empty if none is sealed; sealed says
// why they cannot be opened.
func (c *cli) opened(l *letter) (body string, sealed, err error) {
	if l.unread != nil || l.item.Codec == "" {
		return "", nil, nil
	}
	codecs, err := c.settings.codecs()
	if err != nil {
		return "", nil, err
	}
	item, err := wire.Parse(wire.Unwrap([]byte(l.Body)))
	if err != nil {
		return "", nil, err
	}
	if item, sealed = codecs.OpenItem(item); sealed != nil {
		return "", sealed, nil
	}
	text, err := item.Encode()
	return string(text), nil, err
}

func (c *cli) show(l *letter, opened string) {
	t := newTable()
	t.row("message id", l.ID)
	t.row("queue", l.queue+", goes back to "+l.source())
	t.row("sent", moment(l.SentAt)+" ("+ago(c.now(), l.SentAt)+")")
	t.row("kind", printable(l.kind()))
	t.row("instance", printable(l.instance()))
	if l.Group != "" {
		t.row("group", printable(l.Group))
	}
	if l.DedupID != "" {
		t.row("deduplication id", printable(l.DedupID))
	}
	t.row("reason", l.why())
	if l.unread != nil && (l.text == "" || !strings.HasSuffix(l.unread.Error(), l.text)) {
		t.row("cannot be read", printable(l.unread.Error()))
	}
	t.print(c.out)
	others := newTable()
	for _, name := range sortedKeys(l.Attributes) {
		if name != wire.ReasonAttribute {
			others.row("  "+printable(name), printable(l.Attributes[name]))
		}
	}
	if len(others.rows) > 0 {
		fmt.Fprintln(c.out, "\nattributes")
		others.print(c.out)
	}
	body := l.Body
	if opened != "" {
		body = opened
		fmt.Fprintf(c.out, "\nsealed by %s, opened here\n", printable(l.item.Codec))
	}
	fmt.Fprintf(c.out, "\nbody\n  %s\n\nwhat to do: %s\n", indented([]byte(body), "  "), reasonAdvice(l.reason))
}
