package deciding

import (
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// NewStart returns the start that may create the instance; nil if there is none.
func NewStart(r *store.Record, messages []*inbox.Message) *inbox.Message {
	for _, m := range messages {
		if m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict != wire.ConflictRedrive && !forbids(r, m) && (!forking(r) || r.StartID == m.Item.ID) {
			return m
		}
	}
	return nil
}

// forbids reports whether the record is a tombstone without FreeAt (forbidStart) that refuses this
// start.
func forbids(r *store.Record, m *inbox.Message) bool {
	return m.Item.Kind == wire.StartOrchestration && r != nil && r.Purged && r.FreeAt.IsZero() && r.StartID == m.Item.ID
}

// brought returns the events that a start raises for the instance that already has its id. Each is
// a message as a client would have sent it, with the start's number of hops. Their sender ids
// derive from the start's id, so a redelivered start raises no event twice. The start itself stays
// unsettled until the events are recorded.
func (k *Known) brought(m *inbox.Message) []*inbox.Message {
	i := &m.Item
	if i.Kind != wire.StartOrchestration || !i.OnConflict.UsesExisting() || len(i.Events) == 0 {
		return nil
	}
	name, startID := k.Running.Started().Name, k.Running.Started().Start.StartID
	if first := NewStart(k.View.Record, k.Group.Open()); name == "" && k.Running.Creating() && first != nil {
		name, startID = first.Item.Name, first.Item.ID
	}
	if name != i.Name || startID == i.ID {
		return nil // The instance runs another orchestration, or this start created it together with its events.
	}
	events := make([]*inbox.Message, len(i.Events))
	for n, e := range i.Events {
		event := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: k.View.Instance, ID: e.ID, Name: e.Name, Data: e.Data,
			Codec: i.Codec, Actor: i.Actor, SentMS: i.SentMS, Hops: i.Hops}
		events[n] = &inbox.Message{Delivery: m.Delivery, Item: event}
	}
	return events
}

// withBrought inserts before each start the events that it raises.
func (k *Known) withBrought(messages []*inbox.Message) []*inbox.Message {
	var all []*inbox.Message
	for _, m := range messages {
		all = append(append(all, k.brought(m)...), m)
	}
	return all
}
