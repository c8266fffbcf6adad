package deciding

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// arrival returns the arrival that a message reports to the execution. The version of a start is
// fixed here: the newest registered version if the start names none. If the name is not registered,
// the start keeps the version that it names; the instance is started and stuck until that code is
// deployed.
func (k *Known) arrival(m *inbox.Message) engine.Arrival {
	i := &m.Item
	a := engine.Arrival{Proven: m.Proven, SourceAtMS: i.ScheduledAtMS}
	if m.Proven {
		a.SourceAtMS, _ = keyring.EventTime(i.Token)
	}
	if m.Completion() || m.ConcernsPending() || i.Kind == wire.CancelInstance || m.Suspends() {
		a.ExecutionID = i.TargetExecution()
	}
	switch i.Kind {
	case wire.StartOrchestration:
		if d := k.Running.Redriven; d != nil && m == k.Group.bringer(k.Running.Execution, &d.Event) {
			return engine.Arrival{Event: d.Event, With: d.With}
		}
		return k.startArrival(i)
	case wire.ExternalRaised:
		a.Event = history.Event{Kind: history.ExternalEvent, Name: i.Name, Payload: i.Data, Codec: i.Codec, SenderID: i.ID, Actor: i.Actor, FireAtMS: i.ExpiresAtMS, Instance: i.ReplyTo}
	case wire.CancelInstance:
		a.Event = history.Event{Kind: history.OrchestrationCancelRequested, Reason: i.Reason, SenderID: i.ID, Actor: i.Actor}
	case wire.SuspendInstance:
		a.Event = history.Event{Kind: history.OrchestrationSuspended, FireAtMS: i.NotBeforeMS, Reason: i.Reason, SenderID: i.ID, Actor: i.Actor}
		a.Suspend = i.SchedulingEventID
	case wire.ResumeInstance:
		a.Suspend = i.SchedulingEventID
		a.Event = history.Event{Kind: history.OrchestrationResumed, Reason: i.Reason, SenderID: i.ID, Actor: i.Actor}
		if key, n := k.By.limit(k.Running.Started()); key != "" {
			a.Queue = &history.Event{Kind: history.OrchestrationSuspended, LimitKey: key, Limit: n, Actor: k.Running.Started().Actor}
		}
	case wire.ActivityCompleted:
		a.Event = history.Event{Kind: history.ActivityCompleted, SourceEventID: i.SourceEventID, Payload: i.Result, Codec: i.Codec,
			StartedAtMS: i.StartedAtMS, Attempt: i.Attempt, RequestID: i.RequestID, Actor: i.Actor}
	case wire.ActivityFailed:
		a.Event = history.Event{Kind: history.ActivityFailed, SourceEventID: i.SourceEventID, Failure: i.Details.History(),
			StartedAtMS: i.StartedAtMS, Attempt: i.Attempt, RequestID: i.RequestID, Actor: i.Actor}
	case wire.ActivityPending:
		// The message concerns an activity that has not ended, so it is checked like a failure of the
		// activity.
		a.Event = history.Event{Kind: history.ActivityFailed, SourceEventID: i.SourceEventID}
	case wire.ActivityHeartbeat:
		// The message is accepted for as long as a result would be.
		a.Event = history.Event{Kind: history.ActivityCompleted, SourceEventID: i.SourceEventID}
	case wire.RetryActivity:
		a.Event, a.Proven = history.Event{Kind: history.ActivityFailed, SourceEventID: i.SourceEventID}, true // As for a FireTimer.
	case wire.TimerFired:
		a.Event = history.Event{Kind: history.TimerFired, SourceEventID: i.SourceEventID, FireAtMS: i.FireAtMS}
	case wire.FireTimer:
		// It needs no token because IAM has authorized the sender. The timer's own message arrives later
		// and is a duplicate.
		a.Event = history.Event{Kind: history.TimerFired, SourceEventID: i.SourceEventID, FireAtMS: k.Running.X.DueAt(i.SourceEventID),
			SenderID: i.ID, Actor: i.Actor, Reason: i.Reason}
		a.Proven = true
	case wire.SubOrchCompleted:
		a.Event = history.Event{Kind: history.SubOrchestrationCompleted, SourceEventID: i.SourceEventID, Payload: i.Result, Codec: i.Codec}
	case wire.SubOrchFailed:
		a.Event = history.Event{Kind: history.SubOrchestrationFailed, SourceEventID: i.SourceEventID, Failure: i.Details.History()}
	}
	return a
}

func (k *Known) startArrival(i *wire.Item) engine.Arrival {
	start := &history.Start{ExecutionID: k.Running.Execution, StartID: i.ID, Parent: recordedParent(i.Parent), SearchAttributes: i.SearchAttributes,
		Headers: i.Headers, FairnessGroup: i.FairnessGroup, LimitKey: i.LimitKey, Limit: i.Limit}
	version := i.OrchVersion
	if version == "" {
		if newest, err := k.By.Orchestrations.Newest(i.Name); err == nil {
			version = newest.Version
		}
	}
	a := engine.Arrival{UseExisting: i.OnConflict.UsesExisting(), Event: history.Event{
		Kind: history.OrchestrationStarted, Name: i.Name, Version: version, Payload: i.Input, Codec: i.Codec, Actor: i.Actor, Start: start}}
	waits := history.Event{Kind: history.OrchestrationSuspended, SenderID: i.ID, Actor: i.Actor}
	if i.NotBeforeMS > k.Now.At.UnixMilli() {
		waits.FireAtMS = i.NotBeforeMS // The wait for a permit starts at that time.
	} else {
		waits.LimitKey, waits.Limit = k.By.limit(&a.Event)
	}
	if waits.FireAtMS > 0 || waits.LimitKey != "" {
		a.With = append(a.With, waits)
	}
	for _, e := range i.Events {
		a.With = append(a.With, history.Event{Kind: history.ExternalEvent, Name: e.Name, Payload: e.Data, SenderID: e.ID, Actor: i.Actor})
	}
	return a
}

// verdict returns the engine's verdict on a message, without running anything.
func (k *Known) verdict(m *inbox.Message) engine.Verdict { return k.Running.X.Judge(k.arrival(m)) }

// judged is a message and the engine's verdict on it.
type judged struct {
	*inbox.Message
	engine.Verdict
}
