package orchestrator

import (
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/wire"
)

// brought returns the events that a start raises for the instance which has its id
// already, each as the message that a sender would have sent, and that has gone round as
// often. Their sender ids derive from the start's, so a redelivered start raises none of
// them twice. The start itself stays unsettled until they are recorded.
func (t *turn) brought(m *inbox.Message) []*inbox.Message {
	i := &m.Item
	if i.Kind != wire.StartOrchestration || i.OnConflict != wire.ConflictUseExisting || len(i.Events) == 0 {
		return nil
	}
	name, startID := t.started().Name, t.started().Start.StartID
	if first := newStart(t.Record, t.group.messages); name == "" && t.creating && first != nil {
		name, startID = first.Item.Name, first.Item.ID
	}
	if name != i.Name || startID == i.ID {
		return nil // Another orchestration, or the start that brought them when it began the instance.
	}
	events := make([]*inbox.Message, len(i.Events))
	for n, e := range i.Events {
		event := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: t.Instance, ID: e.ID, Name: e.Name, Data: e.Data,
			Codec: i.Codec, Actor: i.Actor, SentMS: i.SentMS, Hops: i.Hops}
		events[n] = &inbox.Message{Delivery: m.Delivery, Item: event}
	}
	return events
}

// withBrought puts the events that starts raise ahead of each.
func (t *turn) withBrought(messages []*inbox.Message) []*inbox.Message {
	var all []*inbox.Message
	for _, m := range messages {
		all = append(append(all, t.brought(m)...), m)
	}
	return all
}
