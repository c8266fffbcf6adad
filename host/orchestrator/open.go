package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/store"
)

// readOpened reads turns of an execution and makes them plain.
func (o *maker) readOpened(ctx context.Context, instance string, execution, from int64) ([]store.Turn, error) {
	turns, err := o.Store.Read(ctx, instance, execution, from)
	if err != nil {
		return nil, err
	}
	return turns, o.Codecs.OpenTurns(turns)
}

// openRecord makes a record plain. It is a projection of history: what is
// damaged in it is left out, and written anew when it changes.
func (t *turn) openRecord(ctx context.Context, r *store.Record) error {
	err := t.Codecs.OpenRecord(r)
	if err != nil && !edge.MissesCodec(err) {
		t.Logger.WarnContext(ctx, "status and output of the record left out", "instance", r.Instance, "error", err)
		r.CustomStatus, r.Output, r.Codec, t.damaged = nil, nil, "", true
		return nil
	}
	return err
}
