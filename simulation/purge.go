package simulation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/wire"
)

// purge implements scenario: a root is purged, with force at times, or started
// again where it was.
func (s *randomScenario) purge(w *World) {
	r := &s.roots[w.choices.intN(w.how(Purged), len(s.roots))]
	hidden, last := w.shadow.hidden[r.instance], w.shadow.last[r.instance]
	id := fmt.Sprintf("again-%d", w.Steps)
	switch {
	case last == 0:
	case hidden == last:
		s.startAgain(w, r)
	case w.shadow.ended(r.instance):
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id})
	default:
		force := w.choices.oneIn(w.how(Purged), 4)
		r.terminated = r.terminated || force
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id, Force: force})
	}
}

// purge implements scenario: a scope has what it says, and nothing else.
func (s *Scope) purge(*World) {}

// hides notes that an instance was purged.
func (w *World) hides(instance string) {
	for _, q := range append(slices.Clone(w.sources), w.deadFIFO, w.deadStandard) {
		for _, m := range q.Queue.Peek() {
			item, err := w.item(m.Body)
			if err == nil && item.Target() == instance && item.Kind != wire.PurgeInstance && (w.recorded(item) || item.ID == "" || item.Kind == wire.TerminateInstance || item.Kind == wire.Wake) {
				w.outside.cutOff[instance] = true
			}
		}
	}
	w.shadow.hidden[instance] = w.shadow.last[instance]
}

// cutOff reports whether an instance is of a family the root of which was
// purged ahead of what it had to send.
func (w *World) cutOff(instance string) bool {
	for root := range w.outside.cutOff {
		if rest, ok := strings.CutPrefix(instance, root); ok && rest != "" && (rest[0] == '/' || rest[0] == '+') {
			return true
		}
	}
	return false
}
