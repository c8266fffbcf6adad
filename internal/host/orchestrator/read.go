package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// read reads what a decision can't go on without.
func (a *attempt) read(ctx context.Context, r *deciding.Read) error {
	t, source := &a.turn, a.tables.source
	switch r.What {
	case deciding.Record, deciding.RecordAgain:
		before, known := t.View.Record, t.View.Described
		err := source.Describe(ctx, &t.View, t.Running.X != nil)
		if t.Tolerates(err) {
			err = nil
		}
		if err == nil && r.What == deciding.RecordAgain {
			err = t.Moved(before, known)
		}
		return err
	case deciding.History:
		turns, err := source.Read(ctx, &t.View, r.Execution)
		if err == nil && len(turns) > 0 {
			return nil
		}
		if err == nil || reading.Corrupt(err) || edge.MissesCodec(err) || errors.Is(err, history.ErrNewer) {
			t.View.Answer(r.Execution, err)
			return nil
		}
		return err
	case deciding.Behind:
		return source.Unmoved(ctx, t.View.Instance, r.Execution, r.Event)
	case deciding.Damage:
		if err := source.Confirm(ctx, r.Lacks); !reading.Corrupt(err) {
			return err
		}
		return nil
	default:
		key := store.ActivityKey{Instance: t.View.Instance, ExecutionID: r.Execution, EventID: r.Event}
		state, err := a.tables.Stops.State(ctx, key)
		if err != nil {
			return fmt.Errorf("host: what is known of activity %d of instance %q: %w", key.EventID, key.Instance, err)
		}
		t.TookActivity(state)
		return nil
	}
}
