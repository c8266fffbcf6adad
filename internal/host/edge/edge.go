// Package edge is the boundary between the host and its queues and tables. It encodes payloads on
// their way out and decodes them on their way in, and describes items that cannot pass without
// quoting an encoded payload.
package edge

import (
	"context"
	"errors"
	"time"
	"unsafe"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Edge encodes payloads on their way into tables and queues, and decodes them on their way in.
// Inside the host all payloads are decoded.
type Edge struct {
	codecs *codec.Set
	limits wire.Limits
}

// New returns an edge with these codecs, nil for payloads that are not encoded, and these limits
// for the items that it reads and sends.
func New(codecs *codec.Set, limits wire.Limits) Edge { return Edge{codecs, limits} }

// Parse reads the body of a message.
func (e Edge) Parse(body string) (wire.Item, error) { return e.limits.ParseText(body) }

// ParseWrapped reads the item that wire.Unwrap takes out of the body of a message.
func (e Edge) ParseWrapped(body string) (wire.Item, error) { return e.limits.ParseWrapped(body) }

// Failure returns a failure in the form that a sent item carries.
func (e Edge) Failure(f *history.Failure) *wire.Failure { return e.limits.FailureOf(f) }

// Reason returns a reason in the form that a sent item carries. A reason that is too long is cut,
// because its action must happen anyway.
func (e Edge) Reason(text string) string { return e.limits.Fit(text) }

// Encode returns the body of an item. If the receiver would refuse the item, Encode returns the
// receiver's error. The limits of decoded items apply before a codec encodes the item, and those of
// encoded items after.
func (e Edge) Encode(item *wire.Item) (string, error) {
	body, err := e.limits.Encode(item)
	if err != nil {
		return "", err
	}
	// Base64 is valid JSON whatever it contains, so the item must be checked before its payloads
	// are encoded.
	encoded, err := e.codecs.EncodeItem(*item)
	if err == nil && encoded.Codec != item.Codec {
		body, err = e.limits.Encode(&encoded)
	}
	if err != nil {
		return "", err
	}
	text := unsafe.String(unsafe.SliceData(body), len(body)) // nothing else refers to the bytes
	if err := (queue.Outgoing{Body: text}).Validate(false); err != nil {
		return "", err
	}
	return text, nil
}

// Answer returns the stored form of an answer to an update.
func (e Edge) Answer(a store.Answer) (store.Answer, error) {
	encoded, err := e.codecs.EncodeTurns([]store.Turn{{Instance: a.Instance, ExecutionID: a.ExecutionID, Events: []history.Event{a.Event}}})
	if err == nil {
		a.Event = encoded[0].Events[0]
	}
	return a, err
}

// Again returns the body of an item that was accepted before. It checks no limits.
func (e Edge) Again(item *wire.Item) (string, error) {
	encoded, err := e.codecs.EncodeItem(*item)
	if err != nil {
		return "", err
	}
	body, err := encoded.Encode()
	return string(body), err
}

// SendAttempt sends the message of an attempt to its queue. If the attempt is due later than
// queue.MaxDelay, the message carries its due time, and its receiver requeues it until then.
func (e Edge) SendAttempt(ctx context.Context, to queue.Queue, item wire.Item, due, now time.Time) error {
	rest := due.Sub(now)
	item.NotBeforeMS = 0
	if rest > queue.MaxDelay {
		item.NotBeforeMS = due.UnixMilli()
	}
	body, err := e.Again(&item)
	if err != nil {
		return err
	}
	return to.Send(ctx, queue.Outgoing{Body: body, Delay: QueueDelay(rest), Group: FairGroup(item.Retry)})
}

// QueueDelay returns the delay of a message that is due after the duration rest: at most
// queue.MaxDelay. A queue with a coarser unit rounds up. A receiver that gets the message too early
// requeues it for the remaining time.
func QueueDelay(rest time.Duration) time.Duration {
	return min(max(rest, 0), queue.MaxDelay)
}

// Open decodes the payloads of an item, and checks the limits on the decoded item. On an error the
// item keeps its payloads and the name of its codec, so that it can be sent on unchanged.
func (e Edge) Open(item *wire.Item) error {
	if item.Codec == "" {
		return nil
	}
	opened, err := e.codecs.DecodeItem(*item)
	if err == nil {
		err = e.limits.Check(&opened)
	}
	if err == nil {
		_, err = opened.Encode()
	}
	if err == nil {
		*item = opened
	}
	return err
}

// Encoded returns a commit with its payloads encoded, as it is stored. It is called once for each
// commit: a repeated write must have the same bytes, because the store recognizes a writer's own
// commit by them.
func (e Edge) Encoded(instance string, c store.Commit) (store.Commit, error) {
	var err error
	if c.Turns, err = e.codecs.EncodeTurns(c.Turns); err != nil {
		return c, err
	}
	c.Record, err = e.codecs.EncodeChange(instance, c.Record)
	return c, err
}

// MissesCodec reports whether a payload was encoded by a codec that this process does not have.
func MissesCodec(err error) bool {
	_, ok := errors.AsType[*codec.UnknownError](err)
	return ok
}

// NotEncoded reports whether a payload could not be encoded. The payload is not at fault, so the
// operation is retried.
func NotEncoded(err error) bool {
	_, ok := errors.AsType[*codec.EncodeError](err)
	return ok
}
