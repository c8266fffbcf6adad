package deciding

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/header"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// pendingProgress is the progress of handling messages about pending activities.
type pendingProgress struct {
	begun, done bool
	messages    []*inbox.Message
	// state of the activity that the first of them concerns; nil if it was not read. since is when it
	// was first handled.
	state *store.ActivityState
	since time.Time
	// limits to request, and the messages that need them.
	limits  *Limits
	limited []*inbox.Message
}

// TookActivity records the state of a pending activity that was read.
func (t *Turn) TookActivity(s store.ActivityState) { t.passed.pendingProgress.state = &s }

// pendingActivities handles the messages about pending activities. An ActivityPending is sent again for
// the time when the next time limit may be over, and becomes the activity's failure if the activity
// is still open then. An ActivityHeartbeat is recorded.
func (t *Turn) pendingActivities(p *Plan) error {
	a := &t.passed.pendingProgress
	if !a.begun {
		t.resultsFirst()
		a.begun, a.messages = true, t.open()
	}
	for len(a.messages) > 0 {
		m := a.messages[0]
		if m.ConcernsPending() || m.Unheard() {
			if err := t.pendingActivity(p, m); err != nil {
				return err
			}
		}
		a.messages, a.state, a.since = a.messages[1:], nil, time.Time{}
		if !p.empty() {
			return nil
		}
	}
	if !a.done && a.limits != nil {
		// The schedules are created together.
		p.Send.Limits = a.limits
		for _, m := range a.limited {
			p.settle(m, "pending")
		}
	}
	a.done = true
	return nil
}

func (t *Turn) pendingActivity(p *Plan, m *inbox.Message) error {
	switch v := t.verdict(m); {
	case m.Unheard() && v.Kind == engine.Recorded && !t.brings(m.Item.SourceEventID):
		return t.interrupted(p, m)
	case m.Unheard():
		// It is checked like any other completion, after the result if the batch has one.
	case v.Kind == engine.Recorded:
		return t.stillPending(p, m)
	case (v.Kind == engine.Duplicate || v.Kind == engine.Late || v.Kind == engine.Early) && m.Item.Kind == wire.ActivityPending && (m.Returning() || t.stands(m)):
		// It may have become the failure that is recorded: then it is settled after the code has run on
		// that failure.
		p.becomes(m, Failed(m, history.Failure{Kind: history.FailureTotalTimeout}))
	case v.Kind == engine.Misaddressed, v.Kind == engine.Forged:
		t.refuse(p, m, v)
	default:
		p.settle(m, "late")
	}
	return nil
}

// stillPending handles a message about an activity that is not completed.
func (t *Turn) stillPending(p *Plan, m *inbox.Message) error {
	item := &m.Item
	if _, open := t.Running.Work[item.SourceEventID]; !open {
		// The orchestration no longer waits for the activity.
		p.settle(m, "late")
		return nil
	}
	switch item.Kind {
	case wire.ActivityHeartbeat:
		return t.heartbeat(p, m)
	case wire.RetryActivity:
		return t.retryNow(p, m)
	}
	scheduled, err := t.scheduled(item.SourceEventID)
	if err != nil {
		return err
	}
	a, retry := &t.passed.pendingProgress, scheduled.Retry
	if a.since.IsZero() {
		a.since = t.Now.At
	}
	now := a.since
	var next time.Time
	if end, bounded := attempt.TotalEnd(retry, time.UnixMilli(scheduled.AtMS)); bounded {
		if !end.After(now) {
			p.becomes(m, Failed(m, attempt.TotalFailure(scheduled.Name, item.Attempt, end.Sub(time.UnixMilli(scheduled.AtMS)), nil)))
			return nil
		}
		next = end
	}
	if retry != nil && retry.HeartbeatTimeoutMS > 0 {
		silence := time.Duration(retry.HeartbeatTimeoutMS) * time.Millisecond
		alive, err := t.alive(item, now)
		if err != nil {
			return err
		}
		end := alive.Add(silence)
		if !end.After(now) {
			return t.silent(p, m, scheduled, silence)
		}
		if next.IsZero() || end.Before(next) {
			next = end
		}
	}
	if next.IsZero() {
		p.settle(m, "pending")
		return nil
	}
	if a.limits == nil {
		a.limits = &Limits{Since: t.Now.At}
	}
	a.limits.Items, a.limits.Dues = append(a.limits.Items, *item), append(a.limits.Dues, next)
	a.limited = append(a.limited, m)
	return nil
}

// alive returns the time of the last sign of life of a pending activity: its heartbeat, or the
// message by which its attempt became pending. It is never in the future, whatever the clock of
// another process said.
func (t *Turn) alive(item *wire.Item, now time.Time) (time.Time, error) {
	state := t.passed.pendingProgress.state
	if state == nil {
		return now, &Read{What: Activity, Execution: item.ExecutionID, Event: item.SourceEventID}
	}
	last := max(item.SentMS, state.Beat.At.UnixMilli())
	return time.UnixMilli(min(last, now.UnixMilli())), nil
}

// heartbeat records a heartbeat of a pending activity, for the current execution: a redrive may
// have copied the activity from the execution that the message names.
func (t *Turn) heartbeat(p *Plan, m *inbox.Message) error {
	item, state := &m.Item, t.passed.pendingProgress.state
	if state == nil {
		return &Read{What: Activity, Execution: t.Running.Execution, Event: item.SourceEventID}
	}
	scheduled, err := t.scheduled(item.SourceEventID)
	if err != nil {
		return err
	}
	now, kept := t.Now.At, delivery.Retention
	if scheduled.Retry != nil {
		// The heartbeat is read when that much time has passed.
		kept += time.Duration(scheduled.Retry.HeartbeatTimeoutMS) * time.Millisecond
	}
	beat := store.Heartbeat{Attempt: max(item.Attempt, state.Beat.Attempt, 1), At: now, Details: item.Data}
	p.Send.Beat = &Beat{Key: store.ActivityKey{Instance: item.Instance, ExecutionID: t.Running.Execution, EventID: item.SourceEventID}, Beat: beat, Until: now.Add(kept)}
	p.settle(m, "heartbeat")
	return nil
}

// silent ends an attempt that has sent no heartbeat for too long. Another attempt follows if the
// retry policy allows one.
func (t *Turn) silent(p *Plan, m *inbox.Message, scheduled *history.Event, silence time.Duration) error {
	item := &m.Item
	f := history.Failure{Kind: history.FailureHeartbeatTimeout, Retryable: true, Attempt: item.Attempt, Source: scheduled.Name, Message: fmt.Sprintf(
		"attempt %d of the pending activity %q sent no heartbeat for %s", item.Attempt, scheduled.Name, silence)}
	if !activities.Retryable(scheduled.Retry, &f, item.Attempt) {
		p.becomes(m, Failed(m, f))
		return nil
	}
	return t.nextOf(p, m, scheduled, &f, "heartbeat_timeout")
}

// nextOf sends the next attempt if no worker does (the last one was pending or interrupted), and
// settles the message that reported the failure. If the result is in the same batch, no attempt
// follows.
func (t *Turn) nextOf(p *Plan, m *inbox.Message, scheduled *history.Event, f *history.Failure, outcome string) error {
	if t.Running.Warm && !t.Running.Confirmed {
		// There is no commit that would show whether a result has arrived in
		// the meantime.
		return ErrStale
	}
	if m.Returning() {
		// A process whose clock is ahead may have turned an earlier delivery of this message into the
		// activity's failure, in a commit that a read does not show yet. Since this message is settled
		// here, no message would resend that commit.
		if err := t.unmoved(); err != nil {
			return err
		}
	}
	item := &m.Item
	if t.brings(item.SourceEventID) {
		p.settle(m, "late")
		return nil
	}
	p.Send.Attempt = &Attempt{Failure: f, EventID: scheduled.EventID, Message: m, Outcome: outcome, Item: wire.Item{
		V: wire.Version, Kind: wire.ActivityExecute, Instance: item.Instance, ExecutionID: item.ExecutionID,
		Name: scheduled.Name, Input: scheduled.Payload, Codec: scheduled.Codec, SchedulingEventID: scheduled.EventID, Token: item.Token,
		Attempt: f.Attempt, ScheduledAtMS: scheduled.AtMS, Retry: scheduled.Retry, Headers: header.Merge(t.Running.Started().Start.Headers, scheduled.Headers),
		Origin: dispatch.KeyOf(t.Running.Started().Start, scheduled.EventID)}}
	return nil
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
func (t *Turn) retryNow(p *Plan, m *inbox.Message) error {
	item, state := &m.Item, t.passed.pendingProgress.state
	if state == nil {
		return &Read{What: Activity, Execution: item.ExecutionID, Event: item.SourceEventID}
	}
	next := state.Next
	if next.Attempt == 0 || item.Attempt > 0 && item.Attempt != next.Attempt || !next.DueAt.After(t.Now.At.Add(lease.Skew)) {
		p.settle(m, "late")
		return nil
	}
	scheduled, err := t.scheduled(item.SourceEventID)
	if err != nil {
		return err
	}
	f := history.Failure{Kind: next.Kind, Message: next.Message, Attempt: next.Attempt - 1, Source: scheduled.Name, Retryable: true}
	if err := t.nextOf(p, m, scheduled, &f, "retry_now"); err != nil || p.Send.Attempt == nil {
		return err
	}
	p.Send.Attempt.Early = activities.EarlyID(next.DueAt, item.ID)
	p.Send.Attempt.Item.Token = t.By.Keys.Token(item.Instance, item.ExecutionID, item.SourceEventID, t.Running.X.RecordedAt(item.SourceEventID))
	return nil
}
