package host

import (
	"context"
	"errors"
	"unsafe"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// edge is where payloads are sealed on their way out, into tables and queues,
// and opened on their way in. Inside of it everything is plain.
type edge struct{ codecs *codec.Set }

// encode returns the body of an item that its receiver will take, or the error
// that it would have.
func (e edge) encode(item *wire.Item) (string, error) {
	body, err := e.codecs.EncodeItem(*item)
	if err != nil {
		return "", err
	}
	text := unsafe.String(unsafe.SliceData(body), len(body)) // nothing else holds it
	if err := (queue.Outgoing{Body: text}).Validate(false); err != nil {
		return "", err
	}
	return text, nil
}

// again returns the body of an item that has been let in before.
func (e edge) again(item *wire.Item) (string, error) {
	sealed, err := e.codecs.SealItem(*item)
	if err != nil {
		return "", err
	}
	body, err := sealed.Encode()
	return string(body), err
}

// open makes an item plain. The limits hold for what comes out. With an error
// it stays as it came, with its mark, and can be sent on so.
func (e edge) open(item *wire.Item) error {
	if item.Codec == "" {
		return nil
	}
	opened, err := e.codecs.OpenItem(*item)
	if err == nil {
		err = wire.Limits{}.Check(&opened)
	}
	if err == nil {
		_, err = opened.Encode()
	}
	if err == nil {
		*item = opened
	}
	return err
}

// sealed returns a commit as it is stored. It is made once: its repeats have to
// be the same to the byte, for so the store knows the writer's own.
func (e edge) sealed(instance string, c store.Commit) (store.Commit, error) {
	var err error
	if c.Turns, err = e.codecs.SealTurns(c.Turns); err != nil {
		return c, err
	}
	c.Record, err = e.codecs.SealChange(instance, c.Record)
	return c, err
}

// readOpened reads turns of an execution and makes them plain.
func (o *Orchestrator) readOpened(ctx context.Context, instance string, execution, from int64) ([]store.Turn, error) {
	turns, err := o.Store.Read(ctx, instance, execution, from)
	if err != nil {
		return nil, err
	}
	return turns, o.edge.codecs.OpenTurns(turns)
}

// openRecord makes a record plain. It is a projection of history: what is
// damaged in it is left out, and written anew when it changes.
func (t *turn) openRecord(ctx context.Context, r *store.Record) error {
	err := t.Codecs.OpenRecord(r)
	if err != nil && !missesCodec(err) {
		t.Logger.WarnContext(ctx, "status and output of the record left out", "instance", r.Instance, "error", err)
		r.CustomStatus, r.Output, r.Codec, t.damaged = nil, nil, "", true
		return nil
	}
	return err
}

// missesCodec reports whether something is sealed by a codec that this process
// does not have.
func missesCodec(err error) bool {
	_, ok := errors.AsType[*codec.UnknownError](err)
	return ok
}

// notSealed reports whether a payload could not be sealed, which says nothing
// about the payload: it is tried again.
func notSealed(err error) bool {
	_, ok := errors.AsType[*codec.SealError](err)
	return ok
}
