package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
	"github.com/turnstile-go/turnstile/wire"
)

// What clients of the random programs do besides starting them.

func (s *randomScenario) payload(name int) string {
	s.raws++
	payload := fmt.Sprintf("%s%d", marker, s.raws)
	s.sent[payload] = program.EventName(name)
	return payload
}

// raise sends an instance as many events as its program may wait for.
func (s *randomScenario) raise(w *World, instance string, p *program.Program) {
	counts := map[int]int{}
	program.Waits(p.Body, counts, p.Rounds)
	// All at once, they are received together.
	burst := w.choices.At(w.choices.At(choice.OfClient, instance), "burst")
	together := time.Duration(-1)
	if w.choices.OneIn(burst, 3) {
		together = time.Duration(w.choices.IntN(burst, 60)) * time.Second
	}
	for name := range 3 {
		n := counts[name]
		client := w.choices.At(w.choices.At(choice.OfClient, instance), program.EventName(name))
		if w.choices.OneIn(client, 4) {
			n++
		}
		for range n {
			payload := s.payload(name)
			item := wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: program.EventName(name), Data: []byte(`"` + payload + `"`), ID: "ev-x" + strings.TrimPrefix(payload, marker)}
			at := time.Duration(w.choices.IntN(client, 2*60)) * time.Second
			if w.choices.Even(client) {
				at *= 60
			}
			if together >= 0 {
				at = together
			}
			w.clock.AfterFunc(at, func() { w.sendItem(item) })
			if w.choices.OneIn(client, 4) {
				w.clock.AfterFunc(at+time.Duration(w.choices.IntN(client, 3600))*time.Second, func() { w.sendItem(item) })
			}
		}
	}
}

// created implements scenario: children get their events when they begin.
func (s *randomScenario) created(w *World, instance, name string) {
	for _, r := range s.roots {
		if r.instance == instance {
			if w.ledger.hidden[instance] > 0 {
				s.raise(w, instance, r.program) // It is there again.
			}
			return
		}
	}
	for _, p := range s.programs {
		if p.Name == name {
			s.raise(w, instance, p)
			s.endSomehow(w, instance)
		}
	}
}

func (s *randomScenario) startAgain(w *World, r *root) {
	w.sendItem(wire.Item{Kind: wire.StartOrchestration, Instance: r.instance, Name: r.program.Name, Input: []byte(`{}`), ID: fmt.Sprintf("again-%d", w.Steps)})
}

// replace lets somebody purge a root with force while it runs, and try to start
// another of that id at once, which is refused. What was said to it is said
// again: by the delay queue, beside whoever still has it warm. And days later comes
// something for it, or, when its id is free, another start.
func (s *randomScenario) replace(w *World, r *root, at time.Duration) {
	how := w.choices.At(w.choices.At(choice.OfClient, r.instance), "replace")
	if !w.choices.OneIn(how, 5) {
		return
	}
	r.terminated = true
	at += time.Duration(w.choices.IntN(how, 300)) * time.Second
	again := at + time.Duration(w.choices.IntN(how, 60))*time.Second
	if w.choices.OneIn(w.choices.At(how, "at once"), 3) {
		again = at // in one batch
	}
	behind := again + time.Duration(w.choices.IntN(how, 60))*time.Second
	event := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: r.instance, Name: program.EventName(0), ID: "said"}
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
	if w.choices.Even(how) {
		said = cancel
	}
	say(at/2, said)
	w.clock.AfterFunc(at, func() {
		w.sendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: "replace", Force: true})
	})
	if w.choices.Even(how) {
		late := at + time.Duration(24+w.choices.IntN(how, 48))*time.Hour
		for i := range 3 {
			cancel.ID = fmt.Sprintf("cancel-late-%d", i)
			say(late+time.Duration(i)*time.Minute, cancel)
		}
		return
	}
	w.clock.AfterFunc(again, func() { s.startAgain(w, r) })
	if free := w.choices.At(how, "free"); w.choices.Even(free) {
		w.clock.AfterFunc(at+held+time.Duration(w.choices.IntN(free, 48*60)-60)*time.Minute, func() { s.startAgain(w, r) })
	}
	for range 1 + w.choices.IntN(how, 3) {
		if said.Kind == wire.CancelInstance {
			said.ID = fmt.Sprintf("cancel-%d", behind/time.Second)
		}
		say(behind, said)
		behind += time.Duration(w.choices.IntN(how, 30)) * time.Second
	}
}

// endSomehow lets a client cancel or terminate an instance that is no root.
func (s *randomScenario) endSomehow(w *World, instance string) {
	how := w.choices.At(w.choices.At(choice.OfClient, instance), "stop")
	item := wire.Item{Instance: instance, Reason: "enough"}
	switch w.choices.IntN(how, 12) {
	case 10:
		item.Kind, item.ID = wire.CancelInstance, "cancel"
	case 11:
		item.Kind, item.ID = wire.TerminateInstance, "terminate"
	default:
		return
	}
	s.ended[instance] = item.Kind == wire.TerminateInstance
	at := time.Duration(w.choices.IntN(how, 60)) * time.Second
	if w.choices.Even(how) {
		at *= 60
	}
	w.clock.AfterFunc(at, func() { w.sendItem(item) })
}

// tooOld lets a client send what it has kept for longer than a message lives.
func (s *randomScenario) tooOld(w *World, instance string) {
	how := w.choices.At(w.choices.At(choice.OfClient, instance), "too old")
	if !w.choices.OneIn(how, 6) {
		return
	}
	old := w.clock.Now().Add(-wire.MaxAge - time.Duration(1+w.choices.IntN(how, 30*24))*time.Hour).UnixMilli()
	item := wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: program.EventName(0), Data: []byte(`"` + oldSign + `"`), ID: oldSign, SentMS: old}
	w.clock.AfterFunc(time.Duration(w.choices.IntN(how, 3600))*time.Second, func() { w.sendItem(item) })
}

// isProgram implements scenario.
func (s *randomScenario) isProgram(name string) bool {
	return slices.ContainsFunc(s.programs, func(p *program.Program) bool { return p.Name == name })
}

func (s *randomScenario) isRandom() bool { return true }
