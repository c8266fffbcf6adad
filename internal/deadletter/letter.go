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
	// Queue is the queue that holds it: DeadFIFO or Dead.
	Queue string
	// Item is the item in its body; Unread is why the body could not be parsed.
	Item   wire.Item
	Unread error
	// nameless is set if the item has no id of its own, so it has the id of its message.
	nameless bool
	// Reason says why it was moved, and Text explains it. An empty Reason means that SQS moved it after its last
	// receive.
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
	// The text of a wire.ParseError repeats the reason.
	l.Text = strings.TrimPrefix(strings.TrimSpace(text), "wire: "+reason+": ")
	return l
}

// firstID returns the id of the original message before it was moved, as far as that is known. It identifies an item
// without an id of its own.
func (l *Letter) firstID() string {
	if l.Queue == DeadFIFO && l.DedupID != "" {
		return l.DedupID
	}
	return l.ID
}

// Kind returns the kind of the item, or "?" if it is not known.
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

// Instance returns the instance that the message is for. If the item could not be parsed, it returns the message group,
// which is the instance if the sender followed the protocol.
func (l *Letter) Instance() string {
	if l.Unread == nil {
		return l.Item.Target()
	}
	return l.Group
}

// Source returns the queue to which the message is redriven. Only messages of the orchestrator queue reach DeadFIFO.
// Dead holds messages of the delay queue, and attempts from any queue, which a worker must run.
func (l *Letter) Source() string {
	switch {
	case l.Queue == DeadFIFO:
		return Orchestrator
	case l.Unread == nil && l.Item.Kind == wire.ActivityExecute:
		return Activity
	}
	return Delay
}

// Why returns the reason and its text.
func (l *Letter) Why() string {
	if l.Reason == "" {
		return "moved by SQS after its last receive"
	}
	return strings.TrimSuffix(string(l.Reason)+": "+l.Text, ": ")
}

// Opened returns the body with decoded payloads; empty if none is encoded. encoded says why they could not be decoded.
func (l *Letter) Opened(codecs *codec.Set) (body string, encoded, err error) {
	if l.Unread != nil || l.Item.Codec == "" {
		return "", nil, nil
	}
	item, err := wire.Parse(wire.Unwrap([]byte(l.Body)))
	if err != nil {
		return "", nil, err
	}
	if item, encoded = codecs.DecodeItem(item); encoded != nil {
		return "", encoded, nil
	}
	text, err := item.Encode()
	return string(text), nil, err
}
