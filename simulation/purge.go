package simulation

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/wire"
)

// held is how long the id of a purged instance refuses a start.
const held = wire.MaxAge + 24*time.Hour

// purge implements scenario: a root is purged, with force at times, or somebody
// tries to start one of the same id: at once, before the id is free, or when it is.
func (s *randomScenario) purge(w *World) {
	r := &s.roots[w.choices.IntN(w.how(Purged), len(s.roots))]
	hidden, last := w.shadow.hidden[r.instance], w.shadow.last[r.instance]
	id := fmt.Sprintf("again-%d", w.Steps)
	switch {
	case last == 0:
	case hidden == last:
		again := w.choices.At(w.how(Purged), "again")
		at := []time.Duration{0, time.Duration(w.choices.IntN(again, 14*24)) * time.Hour,
			max(0, w.shadow.purged[r.instance].Add(held).Sub(w.clock.Now())+time.Duration(w.choices.IntN(again, 48*60)-60)*time.Minute)}[w.choices.IntN(again, 3)]
		w.clock.AfterFunc(at, func() { s.startAgain(w, r) })
	case w.shadow.ended(r.instance):
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id})
	default:
		force := w.choices.OneIn(w.how(Purged), 4)
		r.terminated = r.terminated || force
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id, Force: force})
	}
}

// purge implements scenario: a scope has what it says, and nothing else.
func (s *Scope) purge(*World) {}
