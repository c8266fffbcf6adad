package host

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// overHistory reports whether the execution has as many events as it may, and
// something that would take it on: an arrival that would be recorded, or a
// wake. Duplicates end nothing.
func (t *turn) overHistory(arrivals []*message, w wakes) (bool, error) {
	if t.creating || t.Settings.MaxHistory < 0 || t.x.LastEventID() < int64(t.Settings.MaxHistory) {
		return false, nil
	}
	if w.run {
		return true, nil
	}
	for _, m := range arrivals {
		a, err := t.arrival(m)
		if err != nil {
			return false, err
		}
		if t.x.Judge(a).Kind == engine.Recorded {
			return true, nil
		}
	}
	return false, nil
}

// imposeLongHistory fails an instance whose history has reached its limit. The
// arrivals are recorded ahead of the end, without running the code: by them a
// message that comes back finds this commit, and has it dispatched again.
func (t *turn) imposeLongHistory(ctx context.Context, arrivals []*message) error {
	n := t.x.LastEventID()
	in, err := t.input(arrivals, true)
	if err != nil {
		return err
	}
	recorded, err := t.run(in)
	if err != nil {
		return err
	}
	out, err := t.x.Impose(t.Clock.Now().UnixMilli(), history.ImposedLimit, history.Failure{
		Kind: history.FailureLimit, Source: t.started().Name, Message: fmt.Sprintf(
			"the history of instance %q execution %d has %d events, the limit is %d (MaxHistory): continue as new before, where Info(ctx).ContinueAsNewSuggested says so",
			t.group.instance, t.execution, n, t.Settings.MaxHistory)})
	if err != nil {
		return err
	}
	d := t.draft(recorded)
	d.append(&out)
	d.goOn(&out)
	d.messaged = true
	if err := t.commitImposed(ctx, d, &out); err != nil {
		return err
	}
	q := &arrivalQueue{pending: arrivals}
	q.sortOut(recorded.Verdicts)
	return t.settleAll(ctx, q.decided)
}

// warnOfLength logs once an execution that its history has reached four fifths
// of what it may.
func (t *turn) warnOfLength(ctx context.Context, committed *store.Turn) {
	at := int64(t.Settings.MaxHistory) / 5 * 4
	if at > 0 && committed.First() <= at && at <= committed.Last() {
		t.Logger.WarnContext(ctx, "history nears its limit, at which the instance fails: continue as new", "instance", committed.Instance,
			"execution_id", committed.ExecutionID, "events", committed.Last(), "limit", t.Settings.MaxHistory)
	}
}
