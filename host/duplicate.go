package host

import (
	"context"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/wire"
)

// place is where a fact stands.
type place struct {
	execution, eventID int64
}

// takeReturning looks for the facts of messages that came back. Where one
// stands in history already, its turn was committed, and perhaps not
// dispatched: what is still open of it is sent again, and what follows from it
// is run if it was not. A first delivery of a known fact is a duplicate and
// sends nothing.
func (t *turn) takeReturning(ctx context.Context) error {
	if t.creating {
		return t.resendFormer(ctx, returning(t.group.open()))
	}
	var out *resending
	var unknown []*message
	for _, m := range returning(t.group.open()) {
		locate := t.locate
		if !m.records() {
			locate = t.locateCaused
		}
		at, ok, err := locate(ctx, m)
		if err != nil {
			return err
		}
		if !ok {
			unknown = append(unknown, m)
			continue
		}
		if out == nil {
			out = t.newResending()
		}
		if err := out.from(ctx, at); err != nil {
			return err
		}
		if m.records() {
			t.found = append(t.found, m)
		}
	}
	if err := t.resendFormer(ctx, unknown); err != nil || out == nil {
		return err
	}
	if err := out.flush(ctx); err != nil {
		return err
	}
	t.resent = true
	return nil
}

// locate returns where the fact of a message stands. It may be in an earlier
// execution than the current one.
func (t *turn) locate(ctx context.Context, m *message) (place, bool, error) {
	a := t.arrival(m)
	switch v := t.x.Judge(a); {
	case v.Kind == engine.Late && a.ExecutionID > 0 && a.ExecutionID < t.execution:
		return t.locateIn(ctx, a, a.ExecutionID)
	case v.Kind != engine.Duplicate:
		return place{}, false, nil
	case m.item.Kind == wire.StartOrchestration && m.item.ID == t.started().Start.StartID:
		// The id of the start stands in every execution of this life; the
		// fact in the first.
		return place{max(t.firstExecution(), 1), 1}, true, nil
	default:
		return t.locateEarlier(ctx, a, place{t.execution, v.EventID})
	}
}

// locateEarlier follows a fact that continue-as-new carried over, or whose
// sender's id it did, back to the commit in which it was recorded. An id that
// went over is known by no event, or by one of the first turn.
func (t *turn) locateEarlier(ctx context.Context, a engine.Arrival, at place) (place, bool, error) {
	for at.execution > max(t.firstExecution(), 1) {
		turns, err := t.read(ctx, at.execution)
		if err != nil {
			return place{}, false, err
		}
		if at.eventID > 0 && (len(turns) == 0 || at.eventID > turns[0].Last()) {
			break
		}
		before, ok, err := t.locateIn(ctx, a, at.execution-1)
		if err != nil {
			return place{}, false, err
		}
		if !ok {
			break
		}
		at = before
	}
	return at, at.eventID > 0, nil
}

// locateIn looks in one earlier execution. One that is gone, or damaged, has
// nothing to be sent again.
func (t *turn) locateIn(ctx context.Context, a engine.Arrival, execution int64) (place, bool, error) {
	turns, err := t.read(ctx, execution)
	if err != nil && !corrupt(err) {
		return place{}, false, err
	}
	if err != nil || len(turns) == 0 {
		return place{}, false, nil
	}
	x := t.newExecution(execution)
	defer x.Close()
	if x.Feed(eventsOf(turns), false) != nil {
		return place{}, false, nil
	}
	v := x.Judge(a)
	return place{execution, v.EventID}, v.Kind == engine.Duplicate, nil
}

func (t *turn) firstExecution() int64 {
	if t.record != nil {
		return t.record.FirstExecution
	}
	return 0
}
