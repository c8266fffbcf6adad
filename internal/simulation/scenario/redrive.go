package scenario

import (
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// redrive makes an instance continue where it failed, or from one of its events; sometimes the same
// redrive is sent again hours later, or an operator terminates the instance soon. A running instance
// is terminated first: that is how a client resets it.
func (s *Random) redrive(w *world.World, instance, name string) {
	how := w.Choices.At(w.How(fault.Purged), "redrive")
	var from int64
	if !w.Choices.OneIn(how, 3) {
		from = 1 + int64(w.Choices.IntN(how, len(w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])].Events)))
	}
	s.redriveFrom(w, instance, name, from)
}

// redriveFrom is redrive from an event; 0 stands for where the instance failed.
func (s *Random) redriveFrom(w *world.World, instance, name string, from int64) {
	s.redriven = true
	how := w.Choices.At(w.How(fault.Purged), "redrive")
	last := w.Ledger.Last[instance]
	item := wire.Item{Kind: wire.StartOrchestration, Instance: instance, Name: name, ID: fmt.Sprint(world.RedriveID, w.Steps),
		OnConflict: wire.ConflictRedrive, Origin: &history.Origin{Instance: instance, EventID: from}}
	if from > 0 {
		item.ID += fmt.Sprint(world.RedrivenFrom, from)
	}
	if w.Choices.Even(how) {
		item.Origin.ExecutionID = last
	}
	if !w.Ledger.Ended(instance) && w.Choices.Even(how) {
		s.resets(instance)
		w.SendItem(wire.Item{Kind: wire.TerminateInstance, Instance: instance, ExecutionID: last, ID: item.ID + "-end", Reason: "reset"})
	}
	w.MeetsRedrive(w.Choices.At(how, "deployed"))
	w.SendItem(item)
	s.stopsSoon(w, w.Choices.At(how, "stopped soon"), instance, item.ID+"-stop")
	if w.Choices.OneIn(how, 3) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(how, 48*60))*time.Minute, func() { w.SendItem(item) })
	}
}

// stopsSoon sometimes lets an operator terminate a redriven instance.
func (s *Random) stopsSoon(w *world.World, soon choice.Spot, instance, id string) {
	if !w.StopsSoon(soon) {
		return
	}
	// Its children have to end too, including those whose redrives are still on their way.
	s.resets(instance)
	w.Clock.AfterFunc(time.Duration(w.Choices.IntN(soon, 120))*time.Second, func() {
		w.SendItem(wire.Item{Kind: wire.TerminateInstance, Instance: instance, ID: id, Reason: "stopped"})
	})
}

// redrives lets an operator redrive instances in a run about redrives.
func (s *Random) redrives(w *world.World) {
	at := w.Choices.At(choice.OfClient, "redrives")
	for i := range w.Redrives(at) {
		d := time.Duration(1+w.Choices.IntN(at, 60)) * []time.Duration{time.Second, 10 * time.Second}[w.Choices.IntN(at, 2)]
		w.Clock.AfterFunc(d, func() { s.redriveAny(w, w.Choices.At(at, fmt.Sprint(i))) })
	}
}

// redriveAny redrives an instance of a program, a root or not, in any state, or restarts a root, or
// makes a child fail.
func (s *Random) redriveAny(w *world.World, at choice.Spot) {
	var some []string
	for _, instance := range w.Ledger.Instances() {
		if w.Ledger.Hidden[instance] < w.Ledger.Last[instance] && s.programOf(w, instance) != nil {
			some = append(some, instance)
		}
	}
	if len(some) == 0 {
		return
	}
	if parent, from := s.waitedFor(w, at, some); parent != "" && !w.Choices.OneIn(at, 4) {
		s.redriveFrom(w, parent, s.programOf(w, parent).Name, from)
		return
	}
	children := slices.DeleteFunc(slices.Clone(some), func(i string) bool { return s.isRoot(i) || w.Ledger.Ended(i) })
	if len(children) > 0 && w.Choices.Even(at) {
		// The redrive of its parent makes it continue.
		child := children[w.Choices.IntN(at, len(children))]
		s.resets(child)
		w.SendItem(wire.Item{Kind: wire.TerminateInstance, Instance: child, ID: fmt.Sprintf("fails-%d", w.Steps), Reason: "fails"})
		return
	}
	instance := some[w.Choices.IntN(at, len(some))]
	if r := s.rootOf(instance); r != nil && w.Choices.OneIn(at, 4) {
		s.restart(w, r)
		s.stopsSoon(w, w.Choices.At(at, "stopped soon"), instance, fmt.Sprintf("again-%d-stop", w.Steps))
		return
	}
	s.redrive(w, instance, s.programOf(w, instance).Name)
}

// waitedFor returns an instance of those given that has recorded the failure of a child, and an
// event at which it waited for that child.
func (s *Random) waitedFor(w *world.World, at choice.Spot, some []string) (parent string, from int64) {
	type waits struct {
		parent string
		events []history.Event
		heard  int64
	}
	var all []waits
	for _, instance := range some {
		x := w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])]
		for i := range x.Events {
			if x.Events[i].Kind == history.SubOrchestrationFailed {
				all = append(all, waits{instance, x.Events, int64(i) + 1})
			}
		}
	}
	if len(all) == 0 {
		return "", 0
	}
	one := all[w.Choices.IntN(at, len(all))]
	since := one.events[one.heard-1].SourceEventID
	return one.parent, since + int64(w.Choices.IntN(at, int(one.heard-since)))
}

// resets records that a client has ended an instance.
func (s *Random) resets(instance string) {
	for i := range s.roots {
		if s.roots[i].instance == instance {
			s.roots[i].terminated = true
		}
	}
	s.ended[instance] = true
}

// programOf returns the program that an instance runs; nil for none.
func (s *Random) programOf(w *world.World, instance string) *program.Program {
	return s.program(w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])].Events[0].Name)
}
