package scenario

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// tooLate is the reason of cancels for purged instances.
const tooLate = "too late"

// held is how long the id of a purged instance cannot be reused.
const held = wire.MaxAge + 24*time.Hour

// Purge implements scenario: a root is purged, sometimes with force, or a client tries to
// start one of the same id: at once, before the id is free, or once it is. Or a client asks
// it to restart, which it does if it has ended.
func (s *Random) Purge(w *world.World) {
	if others := w.Choices.At(w.How(fault.Purged), "others"); w.PurgesOther(others) {
		s.purgeOther(w, others)
		return
	}
	r := &s.roots[w.Choices.IntN(w.How(fault.Purged), len(s.roots))]
	hidden, last := w.Ledger.Hidden[r.instance], w.Ledger.Last[r.instance]
	id := fmt.Sprintf("again-%d", w.Steps)
	switch {
	case last == 0:
	case hidden == last:
		again := w.Choices.At(w.How(fault.Purged), "again")
		at := []time.Duration{0, time.Duration(w.Choices.IntN(again, 14*24)) * time.Hour,
			max(0, w.Ledger.Purged[r.instance].Add(held).Sub(w.Clock.Now())+time.Duration(w.Choices.IntN(again, 48*60)-60)*time.Minute)}[w.Choices.IntN(again, 3)]
		w.Clock.AfterFunc(at, func() { s.startAgain(w, r) })
	case w.Choices.OneIn(w.Choices.At(w.How(fault.Purged), "restarts"), 2):
		if w.Choices.Even(w.Choices.At(w.How(fault.Purged), "redriven")) {
			s.redrive(w, r.instance, r.program.Name)
			return
		}
		s.restart(w, r)
	case w.Ledger.Ended(r.instance):
		w.SendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id})
	default:
		force := w.Forced(w.How(fault.Purged))
		r.terminated = r.terminated || force
		if force {
			s.purgeByForce(w, r.instance, id)
			return
		}
		w.SendItem(wire.Item{Kind: wire.PurgeInstance, Instance: r.instance, ID: id})
	}
}

// purgeOther lets an operator purge an instance that is not a root and that calls and
// signals no other: a child, an instance that several wait for, or a detached one. Or, if
// it was purged, a message for it arrives.
func (s *Random) purgeOther(w *world.World, at choice.Spot) {
	var others []string
	for _, instance := range w.Ledger.Instances() {
		x := w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])]
		if name := x.Events[0].Name; !s.isRoot(instance) && name != "listens" && name != "answers" && name != coordination.Orchestration {
			others = append(others, instance)
		}
	}
	if len(others) == 0 {
		return
	}
	instance, id := others[w.Choices.IntN(at, len(others))], fmt.Sprintf("other-%d", w.Steps)
	switch {
	case w.Ledger.Hidden[instance] == w.Ledger.Last[instance]:
		w.SendItem(wire.Item{Kind: wire.CancelInstance, Instance: instance, ID: id, Reason: tooLate})
	case w.Ledger.Ended(instance) && s.programOf(w, instance) != nil && w.Choices.Even(w.Choices.At(at, "redriven")):
		s.redrive(w, instance, s.programOf(w, instance).Name)
	case w.Ledger.Ended(instance):
		s.purged = true
		w.SendItem(wire.Item{Kind: wire.PurgeInstance, Instance: instance, ID: id})
	case w.Forced(at):
		s.purged, s.ended[instance] = true, true
		s.purgeByForce(w, instance, id)
	}
}

// purgeByForce does what a client does, or an operator whose purge without force is refused
// because the instance runs.
func (s *Random) purgeByForce(w *world.World, instance, id string) {
	if w.RefusedFirst(w.Choices.At(w.How(fault.Purged), "refused")) {
		w.SendItem(wire.Item{Kind: wire.PurgeInstance, Instance: instance, ID: id + "-refused"})
	}
	w.PurgeByForce(instance, id)
}

// isRoot reports whether clients start the instance.
func (s *Random) isRoot(instance string) bool {
	return s.rootOf(instance) != nil
}
