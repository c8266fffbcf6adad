package deciding

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// pendingActivities handles the messages about pending activities. An ActivityPending is sent
// again, to arrive when the next time limit may be over, and becomes the activity's failure if the
// activity is still open then. An ActivityHeartbeat is recorded.
type pendingActivities struct{ *Known }

// limits plans the remaining messages about pending activities: each is sent again, to arrive when
// a time limit may be over. The schedules are created together.
func (a pendingActivities) limits() (Plan, error) {
	l, p := Limits{Since: a.Now.At}, Plan{}
	for _, m := range a.Group.Open() {
		if !m.ConcernsPending() {
			continue
		}
		now, due, err := a.attend(m)
		if err != nil || !now.empty() {
			return now, err
		}
		l.Items, l.Dues = append(l.Items, m.Item), append(l.Dues, due)
		p.add(settle(m, "pending"))
	}
	if !p.empty() {
		p.Send.Limits = &l
	}
	return p, nil
}

// attend handles a message if it is about a pending activity. If the plan is empty, due is when a
// time limit of the activity may be over; it is zero for a message that is handled in order.
func (a pendingActivities) attend(m *inbox.Message) (p Plan, due time.Time, err error) {
	if m.State != inbox.Unsettled || !m.ConcernsPending() && !m.Unheard() {
		return p, due, nil
	}
	switch v := a.verdict(m); {
	case m.Unheard() && v.Kind == engine.Recorded && !a.brings(m.Item.SourceEventID):
		p, err = a.interrupted(m)
	case m.Unheard():
		// The message is checked like any other completion, after the result if the batch has one.
	case v.Kind == engine.Recorded:
		return a.stillPending(m)
	case (v.Kind == engine.Duplicate || v.Kind == engine.Late || v.Kind == engine.Early) && m.Item.Kind == wire.ActivityPending && (m.Returning() || a.stands(m)):
		// The message may have become the recorded failure. Then it is settled after the code has
		// run on that failure.
		p = become(m, Failed(m, history.Failure{Kind: history.FailureTotalTimeout}))
	case v.Kind == engine.Misaddressed, v.Kind == engine.Forged:
		p = absent{a.Known}.refuse(m, v)
	default:
		p = settle(m, "late")
	}
	return p, due, err
}

// stillPending handles a message about an activity that is not completed.
func (a pendingActivities) stillPending(m *inbox.Message) (p Plan, due time.Time, err error) {
	item := &m.Item
	if _, open := a.Running.Work[item.SourceEventID]; !open {
		// The orchestration no longer waits for the activity.
		return settle(m, "late"), due, nil
	}
	switch item.Kind {
	case wire.ActivityHeartbeat:
		p, err = a.heartbeat(m)
		return p, due, err
	case wire.RetryActivity:
		p, err = a.retryNow(m)
		return p, due, err
	}
	scheduled, err := a.scheduled(item.SourceEventID)
	if err != nil {
		return p, due, err
	}
	retry, now := scheduled.Retry, a.Now.At
	if end, bounded := attempt.TotalEnd(retry, time.UnixMilli(scheduled.AtMS)); bounded {
		if !end.After(now) {
			return become(m, Failed(m, attempt.TotalFailure(scheduled.Name, item.Attempt, end.Sub(time.UnixMilli(scheduled.AtMS)), nil))), due, nil
		}
		due = end
	}
	if retry != nil && retry.HeartbeatTimeoutMS > 0 {
		silence := time.Duration(retry.HeartbeatTimeoutMS) * time.Millisecond
		alive, err := a.alive(item)
		if err != nil {
			return p, due, err
		}
		end := alive.Add(silence)
		if !end.After(now) {
			p, err = a.silent(m, scheduled, silence)
			return p, due, err
		}
		if due.IsZero() || end.Before(due) {
			due = end
		}
	}
	if due.IsZero() {
		return settle(m, "pending"), due, nil
	}
	return p, due, nil
}

// state returns the state of an activity.
func (a pendingActivities) state(execution, event int64) (store.ActivityKey, store.ActivityState, error) {
	key := store.ActivityKey{Instance: a.View.Instance, ExecutionID: execution, EventID: event}
	state, known := a.Activities[key]
	if !known {
		return key, state, &Read{What: Activity, Execution: execution, Event: event}
	}
	return key, state, nil
}

// alive returns when a pending activity was last known to be alive: the time of its heartbeat, or of the
// message by which its attempt became pending. It is never in the future, even if the clock of another
// process is ahead.
func (a pendingActivities) alive(item *wire.Item) (time.Time, error) {
	_, state, err := a.state(item.ExecutionID, item.SourceEventID)
	last := max(item.SentMS, state.Beat.At.UnixMilli())
	return time.UnixMilli(min(last, a.Now.At.UnixMilli())), err
}

// heartbeat records a heartbeat of a pending activity, for the current execution: a redrive may
// have copied the activity from the execution that the message names.
func (a pendingActivities) heartbeat(m *inbox.Message) (Plan, error) {
	item := &m.Item
	key, state, err := a.state(a.Running.Execution, item.SourceEventID)
	if err != nil {
		return Plan{}, err
	}
	scheduled, err := a.scheduled(item.SourceEventID)
	if err != nil {
		return Plan{}, err
	}
	now, kept := a.Now.At, delivery.Retention
	if scheduled.Retry != nil {
		// The heartbeat is not read before that time.
		kept += time.Duration(scheduled.Retry.HeartbeatTimeoutMS) * time.Millisecond
	}
	beat := store.Heartbeat{Attempt: max(item.Attempt, state.Beat.Attempt, 1), At: now, Details: item.Data}
	p := settle(m, "heartbeat")
	p.Send.Beat = &Beat{Key: key, Beat: beat, Until: now.Add(kept)}
	delete(a.Activities, key)
	return p, nil
}

// silent ends an attempt that has sent no heartbeat for too long. A further attempt follows if the
// retry policy allows one.
func (a pendingActivities) silent(m *inbox.Message, scheduled *history.Event, silence time.Duration) (Plan, error) {
	item := &m.Item
	f := history.Failure{Kind: history.FailureHeartbeatTimeout, Retryable: true, Attempt: item.Attempt, Source: scheduled.Name, Message: fmt.Sprintf(
		"attempt %d of the pending activity %q sent no heartbeat for %s", item.Attempt, scheduled.Name, silence)}
	if !activities.Retryable(scheduled.Retry, &f, item.Attempt) {
		return become(m, Failed(m, f)), nil
	}
	return a.nextOf(m, scheduled, &f, "heartbeat_timeout")
}

// Failed returns a message about an activity as the activity's failure. The failure's kind does not
// matter if the history already has the failure.
func Failed(m *inbox.Message, f history.Failure) wire.Item {
	i := &m.Item
	return wire.Item{V: wire.Version, Kind: wire.ActivityFailed, Instance: i.Instance, ExecutionID: i.ExecutionID,
		SourceEventID: i.SourceEventID, Token: i.Token, Details: wire.FailureOf(&f)}
}

// retryNow sends an attempt that waits for its retry delay at once. The delayed message still
// arrives; the worker decides which of the two makes the attempt (early.go there). An attempt that
// is due within the clock skew is left alone.
func (a pendingActivities) retryNow(m *inbox.Message) (Plan, error) {
	item := &m.Item
	_, state, err := a.state(item.ExecutionID, item.SourceEventID)
	if err != nil {
		return Plan{}, err
	}
	next := state.Next
	if next.Attempt == 0 || item.Attempt > 0 && item.Attempt != next.Attempt || !next.DueAt.After(a.Now.At.Add(lease.Skew)) {
		return settle(m, "late"), nil
	}
	scheduled, err := a.scheduled(item.SourceEventID)
	if err != nil {
		return Plan{}, err
	}
	f := history.Failure{Kind: next.Kind, Message: next.Message, Attempt: next.Attempt - 1, Source: scheduled.Name, Retryable: true}
	p, err := a.nextOf(m, scheduled, &f, "retry_now")
	if p.Send.Attempt != nil {
		// The token names the time at which the event was recorded, not the time of a redrive.
		p.Send.Attempt.Early, p.Send.Attempt.RecordedAtMS = activities.EarlyID(next.DueAt, item.ID), a.Running.X.RecordedAt(item.SourceEventID)
	}
	return p, err
}
