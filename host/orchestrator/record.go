package orchestrator

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/projection"
	"github.com/turnstile-go/turnstile/store"
)

// describe reads the record.
func (t *turn) describe(ctx context.Context) error {
	err := t.View.Describe(ctx, t.x != nil)
	if edge.MissesCodec(err) && t.Record.Status.Terminal() && t.group.onlyPurges() {
		return nil // What has ended can be purged without the key of its output.
	}
	return err
}

// describeOnce reads the record, unless this turn has read it.
func (t *turn) describeOnce(ctx context.Context) error {
	if t.Described {
		return nil
	}
	return t.describe(ctx)
}

// change changes the record alone.
func (t *turn) change(ctx context.Context, c store.RecordChange) error {
	err := t.Store.UpdateRecord(ctx, t.Instance, c)
	if err == nil {
		t.Changed(&c)
	}
	return err
}

// currentRecord reads the record again if it may be older than the history that
// the turn goes by: both may have changed between the two reads.
// store.ErrConflict if more has changed than what the history gave.
func (t *turn) currentRecord(ctx context.Context) error {
	if t.Current {
		return nil
	}
	before, known := t.Record, t.Described
	if err := t.describe(ctx); err != nil {
		return err
	}
	r := t.Record
	if t.warm && t.Problem() != nil {
		return errRebuild // The cache did not have the mark.
	}
	if !known || before == nil {
		return nil
	}
	if r == nil || r.Purged || r.ExecutionID != before.ExecutionID || r.Stamp != before.Stamp ||
		r.Status.Terminal() != before.Status.Terminal() || (r.Problem == nil) != (before.Problem == nil) {
		return fmt.Errorf("host: the record of instance %q execution %d was changed while it was read: %w", t.Instance, before.ExecutionID, store.ErrConflict)
	}
	return nil
}

// project finds out what a draft changes of the record, and tells of it.
func (t *turn) project(ctx context.Context, d *draft, w wakes, parked bool) error {
	if err := t.knowFor(ctx, d, parked); err != nil {
		return err
	}
	p := t.standing(d, w, parked).Of(&d.Turn)
	d.change, d.problem, d.remarked = p.Change, p.Mark, p.Moved || p.Recovered != nil
	if d.Stuck != nil {
		t.Observer.Count(host.CountStuck, string(d.Stuck.Kind), 1)
	}
	if p.Mark != nil {
		t.Seen(p.Mark)
	}
	if p.Moved {
		t.Logger.WarnContext(ctx, "instance is stuck", "instance", t.Instance, "execution_id", t.execution,
			"kind", p.Mark.Kind, "event_id", p.Mark.EventID, "message", t.loggedProblem(p.Mark))
	}
	if p.Recovered != nil {
		d.outcome = "recovered"
		t.Observer.Count(host.CountRecovered, p.Recovered.Kind, 1)
	}
	if p.Suspected {
		t.mark, t.marked = t.group.suspect, true
	}
	return nil
}

// knowFor reads the record where the projection of a draft needs more of it than is
// known, or what is known may be old.
func (t *turn) knowFor(ctx context.Context, d *draft, parked bool) error {
	if t.creating {
		return nil
	}
	if len(d.SearchSet) > 0 {
		if err := t.knowSearch(ctx, d); err != nil {
			return err
		}
	}
	end := d.End()
	switch {
	case len(d.Next) > 0:
	case end != nil && end.Imposed != "" && t.Codecs != nil, end != nil && t.Record == nil && !d.messaged:
		unread := t.Record == nil
		if err := t.currentRecord(ctx); err != nil {
			return err
		}
		if r := t.Record; unread && !d.messaged && (r == nil || r.Purged || r.ExecutionID != t.execution || r.Problem != nil) {
			return errRebuild
		}
	case end == nil && !t.Described && t.problemIn(d, parked) != nil:
		if err := t.describe(ctx); err != nil {
			return err
		}
		if t.Record == nil || t.Record.Purged || t.Record.ExecutionID != t.execution {
			return fmt.Errorf("host: instance %q is no longer at execution %d: %w", t.Instance, t.execution, store.ErrConflict)
		}
	}
	return nil
}

// knowSearch reads the record for a draft that sets search attributes. It says under
// which time the index keeps them, and what it has already.
func (t *turn) knowSearch(ctx context.Context, d *draft) error {
	if !t.Described {
		if err := t.describe(ctx); err != nil {
			return err
		}
		if t.warm && t.Problem() != nil {
			return errRebuild // What the cache has knows nothing of what is parked.
		}
	}
	return nil
}

// standing of the turn's instance for a draft.
func (t *turn) standing(d *draft, w wakes, parked bool) *projection.Standing {
	s := &projection.Standing{
		Instance: t.Instance, Execution: t.execution, Record: t.Record, Creating: t.creating,
		Suspect: t.group.suspect, Problem: t.problemIn(d, parked), Try: w.try, Sealed: t.Codecs != nil, Now: t.Clock.Now(),
		Ran: !parked && !d.Turn.Parked && d.State != engine.NotStarted,
		Delay: func(tries int) time.Duration {
			return backoff.Grown(t.Settings.Turn.WakeFirst, t.Settings.Turn.WakeMax, tries-1)
		},
	}
	if t.killer {
		s.Found = t.mark
	}
	return s
}
