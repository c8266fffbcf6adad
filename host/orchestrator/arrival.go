package orchestrator

import (
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/wire"
)

// arrival returns what a message brings for the execution. The version of a start
// is pinned: the newest registered if none was asked for. A name that is not
// registered keeps what was asked; the instance is started and stuck until that
// code is deployed.
func (t *turn) arrival(m *inbox.Message) engine.Arrival {
	i := &m.Item
	a := engine.Arrival{Proven: m.Proven}
	if m.Completion() || m.AboutPending() || i.Kind == wire.CancelInstance {
		a.ExecutionID = i.TargetExecution()
	}
	switch i.Kind {
	case wire.StartOrchestration:
		return t.startArrival(i)
	case wire.ExternalRaised:
		a.Event = history.Event{Kind: history.ExternalEvent, Name: i.Name, Payload: i.Data, Codec: i.Codec, SenderID: i.ID, Actor: i.Actor}
	case wire.CancelInstance:
		a.Event = history.Event{Kind: history.OrchestrationCancelRequested, Reason: i.Reason, SenderID: i.ID, Actor: i.Actor}
	case wire.ActivityCompleted:
		a.Event = history.Event{Kind: history.ActivityCompleted, SourceEventID: i.SourceEventID, Payload: i.Result, Codec: i.Codec,
			StartedAtMS: i.StartedAtMS, Attempt: i.Attempt, RequestID: i.RequestID}
	case wire.ActivityFailed:
		a.Event = history.Event{Kind: history.ActivityFailed, SourceEventID: i.SourceEventID, Failure: i.Details.History(),
			StartedAtMS: i.StartedAtMS, Attempt: i.Attempt, RequestID: i.RequestID}
	case wire.ActivityPending, wire.ActivityHeartbeat:
		// It is about an activity that has not ended, and judged as its failure would be.
		a.Event = history.Event{Kind: history.ActivityFailed, SourceEventID: i.SourceEventID}
	case wire.TimerFired:
		a.Event = history.Event{Kind: history.TimerFired, SourceEventID: i.SourceEventID, FireAtMS: i.FireAtMS}
	case wire.SubOrchCompleted:
		a.Event = history.Event{Kind: history.SubOrchestrationCompleted, SourceEventID: i.SourceEventID, Payload: i.Result, Codec: i.Codec}
	case wire.SubOrchFailed:
		a.Event = history.Event{Kind: history.SubOrchestrationFailed, SourceEventID: i.SourceEventID, Failure: i.Details.History()}
	}
	return a
}

func (t *turn) startArrival(i *wire.Item) engine.Arrival {
	start := &history.Start{ExecutionID: t.execution, StartID: i.ID, Parent: recordedParent(i.Parent), SearchAttributes: i.SearchAttributes,
		Headers: i.Headers, Origin: i.Origin, FairnessGroup: i.FairnessGroup}
	version := i.OrchVersion
	if version == "" {
		if newest, err := t.Orchestrations.Newest(i.Name); err == nil {
			version = newest.Version
		}
	}
	a := engine.Arrival{UseExisting: i.OnConflict == wire.ConflictUseExisting, Event: history.Event{
		Kind: history.OrchestrationStarted, Name: i.Name, Version: version, Payload: i.Input, Codec: i.Codec, Actor: i.Actor, Start: start}}
	for _, e := range i.Events {
		a.With = append(a.With, history.Event{Kind: history.ExternalEvent, Name: e.Name, Payload: e.Data, SenderID: e.ID, Actor: i.Actor})
	}
	return a
}

// input puts together what a run needs from outside.
func (t *turn) input(messages []*inbox.Message, park bool) (engine.Input, error) {
	seed, err := t.random.Bytes()
	if err != nil {
		return engine.Input{}, err
	}
	in := engine.Input{NowMS: t.Clock.Now().UnixMilli(), Seed: seed, Park: park}
	for _, m := range messages {
		in.Arrivals = append(in.Arrivals, t.arrival(m))
	}
	return in, nil
}

// recordedParent returns a parent as it stands in the history of its child: without its
// token, because a reader of the child's history could complete the parent's event with it.
func recordedParent(p *wire.Parent) *history.Parent {
	if p == nil {
		return nil
	}
	return &history.Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
}
