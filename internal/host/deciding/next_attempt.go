package deciding

import (
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/header"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// nextOf sends the next attempt if no worker does (the last one was pending or interrupted), and
// settles the message that reported the failure. If the result is in the same batch, no attempt
// follows.
func (a pendingActivities) nextOf(m *inbox.Message, scheduled *history.Event, f *history.Failure, outcome string) (p Plan, err error) {
	if a.Running.Warm && !a.Running.Confirmed() {
		// No commit would show whether a result has arrived in the meantime.
		return p, ErrStale
	}
	if m.Returning() {
		// A process whose clock is ahead may have turned an earlier delivery of this message into the
		// activity's failure, in a commit that a read does not show yet. Since this message is settled
		// here, no message would resend that commit.
		if err := a.unmoved(); err != nil {
			return p, err
		}
	}
	item := &m.Item
	if a.brings(item.SourceEventID) {
		return settle(m, "late"), nil
	}
	p.Send.Attempt = &Attempt{Failure: f, EventID: scheduled.EventID, Message: m, Outcome: outcome, Item: wire.Item{
		V: wire.Version, Kind: wire.ActivityExecute, Instance: item.Instance, ExecutionID: item.ExecutionID,
		Name: scheduled.Name, Input: scheduled.Payload, Codec: scheduled.Codec, SchedulingEventID: scheduled.EventID, Token: item.Token,
		Attempt: f.Attempt, ScheduledAtMS: scheduled.AtMS, Retry: scheduled.Retry, Headers: header.Merge(a.Running.Started().Start.Headers, scheduled.Headers),
		Origin: dispatch.KeyOf(a.Running.Started().Start, scheduled.EventID)}}
	return p, nil
}

// brings reports whether one of the messages is the result or the last failure of this open
// activity; then a message that reports no result has no effect.
func (a pendingActivities) brings(source int64) bool {
	return slices.ContainsFunc(a.Group.Open(), func(m *inbox.Message) bool { return a.completes(m, source) })
}

// completes reports whether a message from a worker is the result of an open activity, or its last
// failure.
func (a pendingActivities) completes(m *inbox.Message, source int64) bool {
	i := &m.Item
	return m.State == inbox.Unsettled && i.SourceEventID == source && (i.Kind == wire.ActivityCompleted || i.Kind == wire.ActivityFailed && !m.Unheard()) &&
		a.verdict(m).Kind == engine.Recorded
}

// scheduled returns a scheduling event of the execution. A copied event counts as scheduled at the
// time of the redrive.
func (a pendingActivities) scheduled(eventID int64) (*history.Event, error) {
	e, err := a.View.Event(a.Running.Execution, eventID)
	if o := a.Running.Started().Start.Origin; err == nil && o != nil && eventID <= o.EventID {
		anew := *e
		anew.AtMS = a.Running.X.RecordedAt(o.EventID + 1)
		if _, released := a.Running.X.Held(); released > 0 {
			anew.AtMS = a.Running.X.RecordedAt(released)
		}
		e = &anew
	}
	return e, err
}
