package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/store"
)

// outcomeRecovered is that of a commit which clears the mark of a problem.
const outcomeRecovered = "recovered"

// draft is what one commit is going to hold.
type draft struct {
	// Turn is what the runs came to whose events it has.
	engine.Turn
	// messaged: it begins with an arrival from a message.
	messaged bool
	// parked: its last arrivals are recorded without running the code.
	parked bool
	// inline: it holds results of inline activities.
	inline bool
	change *store.RecordChange
	// outcome in a word, for the observer.
	outcome string
}

// newDraft begins one with what a run gave.
func newDraft(out engine.Turn) *draft {
	return &draft{
		Turn: out, parked: out.Parked && len(out.Events) > 0, outcome: stateWord(out.State),
		messaged: len(out.Events) > 0 && out.Events[0].Kind.Arrival(),
	}
}

// append adds what a further run appended behind it.
func (d *draft) append(out *engine.Turn) {
	if len(out.Events) == 0 {
		return
	}
	d.Events = append(d.Events[:len(d.Events):len(d.Events)], out.Events...)
	d.parked = out.Parked
}

// goOn adds a further run, in which the code went on.
func (d *draft) goOn(out *engine.Turn) {
	d.append(out)
	both := *out
	both.Events, both.Cancelled, both.Logs = d.Events, append(d.Cancelled, out.Cancelled...), append(d.Logs, out.Logs...)
	both.StatusChanged = d.StatusChanged || out.StatusChanged
	both.SearchSet = engine.SearchSetBoth(d.SearchSet, out.SearchSet)
	d.Turn, d.outcome = both, stateWord(out.State)
}

// dispatches reports whether committing it sends anything.
func (d *draft) dispatches() bool {
	if len(d.Cancelled) > 0 {
		return true
	}
	for i := range d.Events {
		switch e := &d.Events[i]; e.Kind {
		case history.ActivityScheduled:
			if !e.Inline {
				return true
			}
		case history.TimerCreated, history.SubOrchestrationScheduled, history.OrchestrationChained:
			return true
		case history.SystemCall:
			if e.Op == history.OpRaiseEvent || e.Op == history.OpCancelInstance {
				return true
			}
		}
	}
	return false
}

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
	out := t.sender.New()
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
	t.work.Close(d.Cancelled)
	if err := t.dispatch(ctx, out); err != nil {
		return err
	}
	for i := range turns {
		t.group.hasSent(dispatch.Place{Execution: turns[i].ExecutionID, EventID: turns[i].First()})
	}
	if len(turns) > 0 {
		t.Observer.Count(host.CountTurns, d.outcome, 1)
		t.committed(host.Committed{Context: ctx, Turns: turns, Actions: out.Actions(), Outcome: d.outcome, RequestID: t.RequestID.Of(ctx)})
	}
	if problem, changed := d.problem(); changed {
		t.Observer.ProblemChanged(host.ProblemChange{Instance: t.Instance, ExecutionID: t.execution, At: t.Clock.Now(), Problem: problem})
	}
	return nil
}

// problem returns what the draft marked the instance with, nil if it took a
// mark away, and whether it did either. An end clears the field whether or not
// there was a mark, and says enough by itself.
func (d *draft) problem() (p *store.Problem, changed bool) {
	switch c := d.change; {
	case c == nil:
		return nil, false
	case c.Create != nil:
		return c.Create.Problem, c.Create.Problem != nil
	case c.Problem != nil && *c.Problem != nil:
		return *c.Problem, true
	}
	return nil, d.outcome == outcomeRecovered
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
		Messaged: d.messaged, Parked: d.parked, Cancelled: d.Cancelled}}
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
func (t *turn) commitsAgain(ctx context.Context, d *draft, n int, err error) bool {
	switch {
	case errors.Is(err, store.ErrUnknownOutcome):
		return n < t.Settings.Turn.CommitAttempts && ctx.Err() == nil
	case errors.Is(err, store.ErrUnavailable):
		return (n < t.Settings.Turn.CommitAttempts || d.inline) && clock.HasTime(ctx, t.Clock, t.Settings.Dispatch.Time) && backoff.Pause(ctx, t.Clock, t.random, n) == nil
	}
	return false
}

func stateWord(s engine.State) string {
	switch s {
	case engine.Waiting:
		return "waiting"
	case engine.RunInline:
		return "inline"
	case engine.Ended:
		return "ended"
	case engine.Stuck:
		return "stuck"
	}
	return "not started"
}
