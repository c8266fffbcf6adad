package simulation

import (
	"fmt"

	"github.com/turnstile-go/turnstile/wire"
)

// purge implements scenario: a root is purged, with force at times, or started
// again where it was.
func (s *randomScenario) purge(w *World) {
	r := &s.roots[w.choices.IntN(w.how(Purged), len(s.roots))]
	hidden, last := w.shadow.hidden[r.instance], w.shadow.last[r.instance]
	id := fmt.Sprintf("again-%d", w.Steps)
	switch {
	case last == 0:
	case hidden == last:
		s.startAgain(w, r)
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
