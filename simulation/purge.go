package simulation

import (
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// held is how long the id of a purged instance refuses a start.
const held = wire.MaxAge + 24*time.Hour

// purge implements scenario: a root is purged, with force at times, or somebody
// tries to start one of the same id: at once, before the id is free, or when it is.
func (s *randomScenario) purge(w *World) {
	if others := w.choices.At(w.how(Purged), "others"); w.choices.OneIn(others, 3) {
		s.purgeOther(w, others)
		return
	}
	r := &s.roots[w.choices.IntN(w.how(Purged), len(s.roots))]
	hidden, last := w.ledger.hidden[r.instance], w.ledger.last[r.instance]
	id := fmt.Sprintf("again-%d", w.Steps)
	switch {
	case last == 0:
	case hidden == last:
		again := w.choices.At(w.how(Purged), "again")
		at := []time.Duration{0, time.Duration(w.choices.IntN(again, 14*24)) * time.Hour,
			max(0, w.ledger.purged[r.instance].Add(held).Sub(w.clock.Now())+time.Duration(w.choices.IntN(again, 48*60)-60)*time.Minute)}[w.choices.IntN(again, 3)]
		w.clock.AfterFunc(at, func() { s.startAgain(w, r) })
	case w.ledger.ended(r.instance):
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id})
	default:
		force := w.choices.OneIn(w.how(Purged), 4)
		r.terminated = r.terminated || force
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id, Force: force})
	}
}

// purgeOther lets somebody purge an instance that is no root, and none by which
// another is called or told: a child, one that several wait for, or one that was
// started detached. Or, where it is purged, something comes for it.
func (s *randomScenario) purgeOther(w *World, at choice.Spot) {
	var others []string
	for _, instance := range w.ledger.instances() {
		x := w.ledger.executions[executionKey{instance, w.ledger.last[instance]}]
		if name := x.events[0].Name; !s.isRoot(instance) && name != "listens" && name != "answers" {
			others = append(others, instance)
		}
	}
	if len(others) == 0 {
		return
	}
	instance, id := others[w.choices.IntN(at, len(others))], fmt.Sprintf("other-%d", w.Steps)
	switch {
	case w.ledger.hidden[instance] == w.ledger.last[instance]:
		w.sendItem(wire.Item{Kind: wire.CancelInstance, Instance: instance, ID: id, Reason: "too late"})
	case w.ledger.ended(instance):
		s.purged = true
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: instance, ID: id})
	case w.choices.OneIn(at, 4):
		s.purged, s.ended[instance] = true, true
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: instance, ID: id, Force: true})
	}
}

// isRoot reports whether clients start the instance.
func (s *randomScenario) isRoot(instance string) bool {
	return slices.ContainsFunc(s.roots, func(r root) bool { return r.instance == instance })
}

// purge implements scenario: a scope has what it says, and nothing else.
func (s *Scope) purge(*World)                                    {}
func (s *Scope) landed(*World, *process, *recorded, *store.Turn) {}
func (s *Scope) marked(*World, *store.Record)                    {}
func (s *Scope) isProgram(string) bool                           { return false }
func (s *Scope) isRandom() bool                                  { return false }
