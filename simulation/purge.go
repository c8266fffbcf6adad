package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/queue"
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

func (s *randomScenario) startAgain(w *World, r *root) {
	w.sendItem(wire.Item{Kind: wire.StartOrchestration, Instance: r.instance, Name: r.program.name, Input: []byte(`{}`), ID: fmt.Sprintf("again-%d", w.Steps)})
}

// replace lets somebody purge a root with force while it runs, and start it
// again at once. What was said to its old life is said to the new one too: by
// the delay queue, beside whoever still has the old one warm. And days later
// comes something for it.
func (s *randomScenario) replace(w *World, r *root, at time.Duration) {
	how := w.choices.at(w.choices.at(ofClient, r.instance), "replace")
	if !w.choices.oneIn(how, 5) {
		return
	}
	r.terminated = true
	at += time.Duration(w.choices.intN(how, 300)) * time.Second
	again := at + time.Duration(w.choices.intN(how, 60))*time.Second
	behind := again + time.Duration(w.choices.intN(how, 60))*time.Second
	event := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: r.instance, Name: eventName(0), ID: "said"}
	event.Data = []byte(`"` + s.payload(0) + `"`)
	cancel := wire.Item{V: wire.Version, Kind: wire.CancelInstance, Instance: r.instance, ID: "cancel-first", Reason: "enough"}
	say := func(at time.Duration, item wire.Item) {
		w.clock.AfterFunc(at, func() {
			if body, err := item.Encode(); err == nil {
				w.sendAs("a client", w.delay, queue.Outgoing{Body: string(body)})
			}
		})
	}
	said := event
	if w.choices.even(how) {
		said = cancel
	}
	say(at/2, said)
	w.clock.AfterFunc(at, func() {
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: "replace", Force: true})
	})
	if w.choices.even(how) {
		late := at + time.Duration(24+w.choices.intN(how, 48))*time.Hour
		for i := range 3 {
			cancel.ID = fmt.Sprintf("cancel-late-%d", i)
			say(late+time.Duration(i)*time.Minute, cancel)
		}
		return
	}
	w.clock.AfterFunc(again, func() { s.startAgain(w, r) })
	for range 1 + w.choices.intN(how, 3) {
		if said.Kind == wire.CancelInstance {
			said.ID = fmt.Sprintf("cancel-%d", behind/time.Second)
		}
		say(behind, said)
		behind += time.Duration(w.choices.intN(how, 30)) * time.Second
	}
}

// endSomehow lets a client cancel or terminate an instance that is no root.
func (s *randomScenario) endSomehow(w *World, instance string) {
	how := w.choices.at(w.choices.at(ofClient, instance), "stop")
	item := wire.Item{Instance: instance, Reason: "enough"}
	switch w.choices.intN(how, 12) {
	case 10:
		item.Kind, item.ID = wire.CancelInstance, "cancel"
	case 11:
		item.Kind, item.ID = wire.TerminateInstance, "terminate"
	default:
		return
	}
	s.ended[instance] = item.Kind == wire.TerminateInstance
	at := time.Duration(w.choices.intN(how, 60)) * time.Second
	if w.choices.even(how) {
		at *= 60
	}
	w.clock.AfterFunc(at, func() { w.sendItem(item) })
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
