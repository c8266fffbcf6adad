package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Clients of the random programs, besides their starts.

// tired reports whether clients stop restarting roots: each run needs events, some of these start
// the next run, and a run that fails early leaves most of them to the next. If each call takes
// half a second, no invocation has the time to process that many.
func (s *Random) tired(w *world.World, instance string) bool {
	return s.raws > 1000 || w.CallsAreSlow() && w.Ledger.Last[instance] > 20
}

func (s *Random) payload(name int) string {
	s.raws++
	payload := fmt.Sprintf("%s%d", world.Marker, s.raws)
	s.sent[payload] = program.EventName(name)
	return payload
}

// wrongData returns the data of an event that cannot be decoded.
func (s *Random) wrongData(name int) []byte {
	text := fmt.Sprintf("%s wrong %d", world.Marker, len(s.wrong)+1)
	s.sent[text], s.wrong = program.EventName(name), append(s.wrong, text)
	return program.WrongData(text)
}

// raiseWrong sometimes sends an instance events whose data cannot be decoded: before the events
// that it waits for, among them, or after them.
func (s *Random) raiseWrong(w *world.World, instance, orchestration string, counts map[int]int, together time.Duration) {
	for name := range 3 {
		at := w.Choices.At(w.Choices.At(choice.OfClient, instance), "wrong "+program.EventName(name))
		if counts[name] == 0 || !w.Choices.OneIn(at, 3) {
			continue
		}
		for range 1 + w.Choices.IntN(at, 2) {
			item := wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: program.EventName(name), Data: s.wrongData(name)}
			item.ID = fmt.Sprintf("ev-wrong%d", len(s.wrong))
			when := together
			if when < 0 {
				when = time.Duration(w.Choices.IntN(at, 2*60)) * time.Second
			}
			send := s.event(w, item, orchestration)
			w.Clock.AfterFunc(when, send)
			if w.Choices.OneIn(at, 4) {
				w.Clock.AfterFunc(when+time.Duration(w.Choices.IntN(at, 3600))*time.Second, send)
			}
		}
	}
}

// raise sends an instance as many events as its program may wait for.
func (s *Random) raise(w *world.World, instance string, p *program.Program) {
	counts := map[int]int{}
	program.Waits(p.Body, counts, p.Rounds)
	// Sent together, they are received together.
	burst := w.Choices.At(w.Choices.At(choice.OfClient, instance), "burst")
	together := time.Duration(-1)
	if w.Choices.OneIn(burst, 3) {
		together = time.Duration(w.Choices.IntN(burst, 60)) * time.Second
	}
	s.raiseWrong(w, instance, p.Name, counts, together)
	s.suspends(w, instance, 0, together)
	s.firesEarly(w, instance, together)
	for name := range 3 {
		n := counts[name]
		client := w.Choices.At(w.Choices.At(choice.OfClient, instance), program.EventName(name))
		if w.Choices.OneIn(client, 4) {
			n++
		}
		for range n {
			payload := s.payload(name)
			item := wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: program.EventName(name), Data: []byte(`"` + s.length(w, payload) + `"`), ID: "ev-x" + strings.TrimPrefix(payload, world.Marker)}
			at := time.Duration(w.Choices.IntN(client, 2*60)) * time.Second
			if w.Choices.Even(client) {
				at *= 60
			}
			if together >= 0 {
				at = together
			}
			at += w.SoLate(w.Choices.At(client, "so late"))
			send := s.event(w, item, p.Name)
			w.Clock.AfterFunc(at, send)
			if r := s.rootOf(instance); r != nil && w.Restarts(w.Choices.At(client, "then it restarts")) {
				w.Clock.AfterFunc(at, func() { s.restart(w, r) })
			}
			if w.Choices.OneIn(client, 4) {
				w.Clock.AfterFunc(at+time.Duration(w.Choices.IntN(client, 3600))*time.Second, send)
			}
		}
	}
}

// event sends an event, either as an event message or sometimes by a start that uses the existing
// instance. The fact is the same, so whichever arrives first, it counts once.
func (s *Random) event(w *world.World, item wire.Item, name string) func() {
	way := w.Choices.At(w.Choices.At(choice.OfClient, item.ID), "by a start")
	return func() {
		last := w.Ledger.Last[item.Instance]
		// A start that finds no instance would start one that this scenario does not know.
		if last == 0 || w.Ledger.Hidden[item.Instance] >= last || w.Ledger.Ended(item.Instance) || !w.Choices.OneIn(way, 4) {
			w.SendItem(item)
			return
		}
		policy := wire.ConflictUseExisting
		if s.isRoot(item.Instance) && !s.tired(w, item.Instance) && w.Choices.OneIn(w.Choices.At(way, "or restart"), 3) {
			policy = wire.ConflictUseOrRestart
		}
		w.SendItem(wire.Item{
			Kind: wire.StartOrchestration, Instance: item.Instance, Name: name, ID: item.ID, Input: []byte(`{}`), OnConflict: policy,
			Events: []wire.StartEvent{{Name: item.Name, Data: item.Data, ID: item.ID}},
		})
	}
}

// rootOf returns the root of that id; nil if clients do not start it.
func (s *Random) rootOf(instance string) *root {
	if i := slices.IndexFunc(s.roots, func(r root) bool { return r.instance == instance }); i >= 0 {
		return &s.roots[i]
	}
	return nil
}

// Created implements scenario: children get their events when they start.
func (s *Random) Created(w *world.World, instance, name string) {
	for _, r := range s.roots {
		if r.instance == instance {
			if w.Ledger.Last[instance] > 1 {
				s.raise(w, instance, r.program) // It exists again.
				s.update(w, instance, r.program, 0)
			}
			return
		}
	}
	for _, p := range s.Programs {
		if p.Name == name {
			s.raise(w, instance, p)
			s.update(w, instance, p, 0)
			s.endSomehow(w, instance)
			s.forks(w, instance, name)
		}
	}
	if name == "shared" {
		s.forks(w, instance, name)
	}
}

func (s *Random) startAgain(w *world.World, r *root) {
	w.SendItem(wire.Item{Kind: wire.StartOrchestration, Instance: r.instance, Name: r.program.Name, Input: []byte(`{}`), ID: fmt.Sprintf("again-%d", w.Steps)})
}

// restart sends the start of a root that restarts if it has ended; sometimes the same start is
// sent again hours later.
func (s *Random) restart(w *world.World, r *root) {
	if s.tired(w, r.instance) {
		return
	}
	how := w.Choices.At(w.How(fault.Purged), "restart")
	item := wire.Item{Kind: wire.StartOrchestration, Instance: r.instance, Name: r.program.Name, Input: []byte(`{}`),
		ID: fmt.Sprintf("again-%d", w.Steps), OnConflict: wire.ConflictRestart}
	w.SendItem(item)
	if w.Choices.OneIn(how, 3) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(how, 48*60))*time.Minute, func() { w.SendItem(item) })
	}
}

// replace makes an operator purge a running root with force, and a client try to start another one
// under its id at once, which is refused. A message for it is redelivered through the delay queue
// while another process still has it warm. Days later a message for it arrives or, when its id can
// be reused, another start.
func (s *Random) replace(w *world.World, r *root, at time.Duration) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, r.instance), "replace")
	if !w.Choices.OneIn(how, 5) {
		return
	}
	r.terminated = true
	at += time.Duration(w.Choices.IntN(how, 300)) * time.Second
	again := at + time.Duration(w.Choices.IntN(how, 60))*time.Second
	if w.Choices.OneIn(w.Choices.At(how, "at once"), 3) {
		again = at // in one batch
	}
	behind := again + time.Duration(w.Choices.IntN(how, 60))*time.Second
	event := wire.Item{V: wire.Version, Kind: wire.ExternalRaised, Instance: r.instance, Name: program.EventName(0), ID: "said"}
	event.Data = []byte(`"` + s.payload(0) + `"`)
	cancel := wire.Item{V: wire.Version, Kind: wire.CancelInstance, Instance: r.instance, ID: "cancel-first", Reason: "enough"}
	say := func(at time.Duration, item wire.Item) {
		w.Clock.AfterFunc(at, func() {
			if body, err := item.Encode(); err == nil {
				w.SendAs("a client", w.Delay, queue.Outgoing{Body: string(body)})
			}
		})
	}
	said := event
	if w.Choices.Even(how) {
		said = cancel
	}
	say(at/2, said)
	w.Clock.AfterFunc(at, func() {
		w.PurgeByForce(r.instance, "replace")
	})
	if w.Choices.Even(how) {
		late := at + time.Duration(24+w.Choices.IntN(how, 48))*time.Hour
		for i := range 3 {
			cancel.ID = fmt.Sprintf("cancel-late-%d", i)
			say(late+time.Duration(i)*time.Minute, cancel)
		}
		return
	}
	w.Clock.AfterFunc(again, func() { s.startAgain(w, r) })
	if free := w.Choices.At(how, "free"); w.Choices.Even(free) {
		w.Clock.AfterFunc(at+held+time.Duration(w.Choices.IntN(free, 48*60)-60)*time.Minute, func() { s.startAgain(w, r) })
	}
	for range 1 + w.Choices.IntN(how, 3) {
		if said.Kind == wire.CancelInstance {
			said.ID = fmt.Sprintf("cancel-%d", behind/time.Second)
		}
		say(behind, said)
		behind += time.Duration(w.Choices.IntN(how, 30)) * time.Second
	}
}

// endSomehow makes a client cancel or terminate an instance that is not a root.
func (s *Random) endSomehow(w *world.World, instance string) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, instance), "stop")
	item := wire.Item{Instance: instance, Reason: "enough"}
	switch w.Choices.IntN(how, 12) {
	case 10:
		item.Kind, item.ID = wire.CancelInstance, "cancel"
	case 11:
		item.Kind, item.ID = wire.TerminateInstance, "terminate"
	default:
		return
	}
	s.ended[instance] = s.ended[instance] || item.Kind == wire.TerminateInstance
	at := time.Duration(w.Choices.IntN(how, 60)) * time.Second
	if w.Choices.Even(how) {
		at *= 60
	}
	w.Clock.AfterFunc(at, func() { w.SendItem(item) })
}

// tooOld makes a client send a message that it has kept for longer than a message is valid.
func (s *Random) tooOld(w *world.World, instance string) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, instance), "too old")
	if !w.Choices.OneIn(how, 6) {
		return
	}
	old := w.Clock.Now().Add(-wire.MaxAge - time.Duration(1+w.Choices.IntN(how, 30*24))*time.Hour).UnixMilli()
	item := wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: program.EventName(0), Data: []byte(`"` + world.OldSign + `"`), ID: world.OldSign, SentMS: old}
	w.Clock.AfterFunc(time.Duration(w.Choices.IntN(how, 3600))*time.Second, func() { w.SendItem(item) })
}

// Program implements scenario.
func (s *Random) Program(name string) *program.Program {
	if i := slices.IndexFunc(s.Programs, func(p *program.Program) bool { return p.Name == name }); i >= 0 {
		return s.Programs[i]
	}
	return nil
}

func (s *Random) IsRandom() bool { return true }
