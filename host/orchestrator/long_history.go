package orchestrator

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// overHistory reports whether the execution has as many events, or bytes in them, as
// it may, and something would take it on: an arrival that would be recorded, or a
// wake. Duplicates end nothing.
func (t *turn) overHistory(arrivals []*inbox.Message, w wakes) bool {
	most := t.Settings.Limits
	full := most.Events >= 0 && t.x.LastEventID() >= int64(most.Events) || most.Bytes >= 0 && t.x.HistoryBytes() >= most.Bytes
	return full && !t.creating && (w.run || t.news(arrivals))
}

// imposeLongHistory fails an instance whose history has reached its limit. The
// arrivals are recorded ahead of the end, without running the code: by them a
// message that comes back finds this commit, and has it dispatched again.
func (t *turn) imposeLongHistory(ctx context.Context, arrivals []*inbox.Message) error {
	text := fmt.Sprintf("has %d events, the limit is %d (MaxHistory): ", t.x.LastEventID(), t.Settings.Limits.Events)
	if most := t.Settings.Limits.Bytes; most >= 0 && t.x.HistoryBytes() >= most {
		text = fmt.Sprintf("holds about %d bytes, the limit is %d (MaxHistoryBytes): pass references to large values, and ", t.x.HistoryBytes(), most)
	}
	q := &arrivalQueue{pending: arrivals}
	d, err := t.run(ctx, q, true)
	if err != nil {
		return err
	}
	if err := t.impose(ctx, d, history.ImposedLimit, "", history.Failure{
		Kind: history.FailureLimit, Source: t.started().Name, Message: fmt.Sprintf(
			"the history of instance %q execution %d %scontinue as new before, where Info(ctx).ContinueAsNewSuggested says so",
			t.Instance, t.execution, text)}); err != nil {
		return err
	}
	return t.settleAll(ctx, q.decided)
}

// warnOfLength logs once an execution that its history has reached four fifths
// of what it may.
func (o *maker) warnOfLength(ctx context.Context, committed *store.Turn) {
	at := int64(o.Settings.Limits.Events) / 5 * 4
	if at > 0 && committed.First() <= at && at <= committed.Last() {
		o.Logger.WarnContext(ctx, "history nears its limit, at which the instance fails: continue as new", "instance", committed.Instance,
			"execution_id", committed.ExecutionID, "events", committed.Last(), "limit", o.Settings.Limits.Events)
	}
}
