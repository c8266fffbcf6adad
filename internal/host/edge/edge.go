// Package edge is what lies between the host and its queues and tables: payloads
// are sealed and opened here, and what does not fit through is told in words that
// quote no sealed payload.
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

// Edge is where payloads are sealed on their way out, into tables and queues,
// and opened on their way in. Inside of it everything is plain.
type Edge struct {
	codecs *codec.Set
	limits wire.Limits
}

// New returns the edge with these codecs, nil for plain payloads, and these limits of what
// comes and goes.
func New(codecs *codec.Set, limits wire.Limits) Edge { return Edge{codecs, limits} }

// Parse reads the body of a message.
func (e Edge) Parse(body string) (wire.Item, error) { return e.limits.ParseText(body) }

// ParseWrapped reads what wire.Unwrap takes out of the body of a message.
func (e Edge) ParseWrapped(body string) (wire.Item, error) { return e.limits.ParseWrapped(body) }

// Failure returns a failure as it stands in an item that is sent.
func (e Edge) Failure(f *history.Failure) *wire.Failure { return e.limits.FailureOf(f) }

// Reason returns a reason as it stands in an item that is sent: its end is lost where it is too
// long, because what it is the reason of must happen all the same.
func (e Edge) Reason(text string) string { return e.limits.Fit(text) }

// Encode returns the body of an item that its receiver will take, or the error
// that it would have. The limits hold for the plain item, and those of sealed items for the
// sealed one.
func (e Edge) Encode(item *wire.Item) (string, error) {
	body, err := e.limits.Encode(item)
	if err != nil {
		return "", err
	}
	// Base64 is JSON, whatever it is of: what is sealed had to be checked before.
	sealed, err := e.codecs.SealItem(*item)
	if err == nil && sealed.Codec != item.Codec {
		body, err = e.limits.Encode(&sealed)
	}
	if err != nil {
		return "", err
	}
	text := unsafe.String(unsafe.SliceData(body), len(body)) // nothing else holds it
	if err := (queue.Outgoing{Body: text}).Validate(false); err != nil {
		return "", err
	}
	return text, nil
}

// Again returns the body of an item that has been let in before.
func (e Edge) Again(item *wire.Item) (string, error) {
	sealed, err := e.codecs.SealItem(*item)
	if err != nil {
		return "", err
	}
	body, err := sealed.Encode()
	return string(body), err
}

// SendAttempt sends the message of an attempt that is due at a time to its
// queue. What is due later than a queue can wait says so, and goes round.
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

// QueueDelay returns the delay of a message that is due after rest: at most what a
// queue can wait. A queue with a coarser grain rounds up. A receiver that gets it too
// early sends it round for the rest.
func QueueDelay(rest time.Duration) time.Duration {
	return min(max(rest, 0), queue.MaxDelay)
}

// Open makes an item plain. The limits hold for what comes out. With an error
// it stays as it came, with its mark, and can be sent on so.
func (e Edge) Open(item *wire.Item) error {
	if item.Codec == "" {
		return nil
	}
	opened, err := e.codecs.OpenItem(*item)
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

// Sealed returns a commit as it is stored. It is made once: its repeats must be
// the same to the byte, because by that the store knows a writer's own commit.
func (e Edge) Sealed(instance string, c store.Commit) (store.Commit, error) {
	var err error
	if c.Turns, err = e.codecs.SealTurns(c.Turns); err != nil {
		return c, err
	}
	c.Record, err = e.codecs.SealChange(instance, c.Record)
	return c, err
}

// MissesCodec reports whether something is sealed by a codec that this process
// does not have.
func MissesCodec(err error) bool {
	_, ok := errors.AsType[*codec.UnknownError](err)
	return ok
}

// NotSealed reports whether a payload could not be sealed, which says nothing
// about the payload: it is tried again.
func NotSealed(err error) bool {
	_, ok := errors.AsType[*codec.SealError](err)
	return ok
}
