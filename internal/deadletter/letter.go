package deadletter

import (
	"errors"
	"strings"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Letter is a message in a final dead-letter queue.
type Letter struct {
	queue.Message
	// Queue that it stands in: DeadFIFO or Dead.
	Queue string
	// Item that it holds; Unread is why it can't be understood.
	Item   wire.Item
	Unread error
	// nameless: the item has the id that it goes by from its message.
	nameless bool
	// Reason by which it was moved, and its text. Without, SQS moved it after
	// its last receive.
	Reason wire.Reason
	Text   string
}

// LetterOf returns the dead letter of a message that was received from a queue.
func LetterOf(from string, m queue.Message) *Letter {
	l := &Letter{Message: m, Queue: from}
	l.Item, l.Unread = wire.Parse(wire.Unwrap([]byte(m.Body)))
	if l.Unread == nil {
		l.nameless = l.Item.Kind.CarriesID() && l.Item.ID == ""
		l.Item = l.Item.WithID(l.firstID())
	}
	reason, text, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":")
	l.Reason = wire.Reason(strings.TrimSpace(reason))
	// A wire.ParseError begins with the reason once more.
	l.Text = strings.TrimPrefix(strings.TrimSpace(text), "wire: "+reason+": ")
	return l
}

// firstID is the id of the message that it was before it was moved, as far as
// that is known: an item without an id of its own goes by it.
func (l *Letter) firstID() string {
	if l.Queue == DeadFIFO && l.DedupID != "" {
		return l.DedupID
	}
	return l.ID
}

// Kind of the item, or a word for one that can't be read.
func (l *Letter) Kind() string {
	var parse *wire.ParseError
	switch {
	case l.Unread == nil:
		return string(l.Item.Kind)
	case errors.As(l.Unread, &parse) && parse.Kind != "":
		return string(parse.Kind)
	}
	return "?"
}

// Instance that it is for; of one that can't be read its message group, which
// is the instance where the sender kept to that.
func (l *Letter) Instance() string {
	if l.Unread == nil {
		return l.Item.Target()
	}
	return l.Group
}

// Source is the queue that it goes back to. The dead-letter queue of the
// orchestrator queue has no other source. Into the other one comes what came by
// the delay queue, and attempts: whichever queue refused one, a worker makes it.
func (l *Letter) Source() string {
	switch {
	case l.Queue == DeadFIFO:
		return Orchestrator
	case l.Unread == nil && l.Item.Kind == wire.ActivityExecute:
		return Activity
	}
	return Delay
}

// Why is the reason and its text in a line.
func (l *Letter) Why() string {
	if l.Reason == "" {
		return "moved by SQS after its last receive"
	}
	return strings.TrimSuffix(string(l.Reason)+": "+l.Text, ": ")
}

// Opened is the body with plain payloads, empty if none is sealed; sealed says
// why they cannot be opened.
func (l *Letter) Opened(codecs *codec.Set) (body string, sealed, err error) {
	if l.Unread != nil || l.Item.Codec == "" {
		return "", nil, nil
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
