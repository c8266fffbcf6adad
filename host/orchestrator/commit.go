package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/store"
)

// parkPending records the arrivals that the run stopped before, because the
// turn goes on in another invocation.
func (t *turn) parkPending(d *draft, q *arrivalQueue) error {
	if len(q.pending) == 0 {
		return nil
	}
	in, err := t.input(q.pending, true)
	if err != nil {
		return err
	}
	out, err := t.x.Run(in)
	if err != nil {
		return err
	}
	if len(d.Events) == 0 {
		d.messaged = len(out.Events) > 0
	}
	d.append(&out)
	q.sortOut(out.Verdicts)
	return nil
}

// commitAndDispatch makes a draft durable, and then does what follows from it.
func (t *turn) commitAndDispatch(ctx context.Context, d *draft) error {
	turns, err := t.commit(ctx, d)
	if err != nil {
		return err
	}
	for _, l := range d.Logs {
		t.emit(ctx, l)
	}
	t.work.Add(d.Events)
	out := t.outbox()
	out.Row = t.row
	for i := range turns {
		c := dispatch.Commit{Turn: &turns[i], Start: t.started().Start, Name: t.started().Name, Opened: t.work}
		if i > 0 {
			c.Start = turns[i].Events[0].Start
		}
		if dispatch.Ends(&turns[i]) {
			c.Parents = t.x.Attached()
		}
		out.Add(c)
	}
	t.chain = out.Chain
	t.work.Close(d.Cancelled)
	if err := t.dispatch(ctx, out); err != nil {
		return err
	}
	t.noteLoop(ctx, out.Slowed.Messages > 0)
	for i := range turns {
		t.group.sent[dispatch.PlaceOf(&turns[i])] = true
	}
	if len(turns) > 0 {
		t.Observer.Count(host.CountTurns, d.outcome, 1)
		t.committed(host.Committed{Context: ctx, Turns: turns, Actions: out.Actions(), Outcome: d.outcome, RequestID: t.RequestID.Of(ctx)})
	}
	if d.remarked {
		t.Observer.ProblemChanged(host.ProblemChange{Instance: t.Instance, ExecutionID: t.execution, At: t.Clock.Now(), Problem: d.problem})
	}
	return nil
}

// commit writes a draft: one conditional write. A draft without events only
// changes the record, or does nothing.
func (t *turn) commit(ctx context.Context, d *draft) ([]store.Turn, error) {
	if len(d.Events) == 0 {
		if d.change == nil {
			return nil, nil
		}
		change, err := t.Codecs.SealChange(t.Instance, d.change)
		if err != nil {
			return nil, fmt.Errorf("host: %w", err)
		}
		if err := t.Store.UpdateRecord(ctx, t.Instance, *change); err != nil {
			return nil, fmt.Errorf("host: record of instance %q: %w", t.Instance, err)
		}
		t.Changed(d.change)
		return nil, nil
	}
	turns := []store.Turn{{Instance: t.Instance, ExecutionID: t.execution, Events: d.Events,
		Messaged: d.messaged, Parked: d.parked, Cancelled: d.Cancelled, Reasons: d.Reasons}}
	if len(d.Next) > 0 {
		turns = append(turns, store.Turn{Instance: t.Instance, ExecutionID: t.execution + 1, Events: d.Next, Parked: true})
	}
	for i := range turns {
		token, err := t.random.Hex() // new for each content
		if err != nil {
			return nil, err
		}
		turns[i].Token = token
	}
	c, err := t.Edge.Sealed(t.Instance, store.Commit{Turns: turns, Record: d.change})
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	began := t.Clock.Now()
	err = t.Store.Commit(ctx, c)
	for n := 1; t.commitsAgain(ctx, d, n, err); n++ {
		// Only the identical append may be repeated: it finds its own, or
		// lands now. Reading back would prove nothing.
		err = t.Store.Commit(ctx, c)
	}
	t.Observer.Timing(host.TimeCommit, t.Clock.Now().Sub(began))
	if err != nil {
		return nil, fmt.Errorf("host: turn of instance %q execution %d at event %d: %w", t.Instance, t.execution, turns[0].First(), err)
	}
	t.Changed(d.change)
	t.Wrote(turns)
	t.creating, t.confirmed = false, true
	t.warnOfLength(ctx, &turns[0])
	return turns, nil
}

// commitsAgain reports whether a commit is repeated that has failed n times, and
// waits until it may be. One that is throttled is repeated after growing pauses:
// as long as there is time, if it holds what inline activities have done, for
// that would be done again.
func (o *maker) commitsAgain(ctx context.Context, d *draft, n int, err error) bool {
	switch {
	case errors.Is(err, store.ErrUnknownOutcome):
		return n < o.Settings.Turn.CommitAttempts && ctx.Err() == nil
	case errors.Is(err, store.ErrUnavailable):
		return (n < o.Settings.Turn.CommitAttempts || d.inline) && clock.HasTime(ctx, o.Clock, o.Settings.Dispatch.Time) && backoff.Pause(ctx, o.Clock, o.random, n) == nil
	}
	return false
}

// committed tells the observer of a commit and its dispatch.
func (t *turn) committed(c host.Committed) {
	c.At, c.Began = t.Clock.Now(), t.began
	c.Causes, c.Messages = t.group.causes(), len(t.group.messages)
	c.Before.ExecutionID, c.Before.EventID = t.before.Execution, t.before.EventID
	t.Observer.Committed(c)
	t.began, t.before = c.At, dispatch.PlaceOf(&c.Turns[0])
}
