package scenario

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// redrive has an instance go on where it failed, or from one of its events; at times the
// same redrive comes a second time, hours later, or somebody terminates the instance soon. One
// that runs is terminated first: that is how a client resets it.
func (s *Random) redrive(w *world.World, instance, name string) {
	s.redriven = true
	how := w.Choices.At(w.How(fault.Purged), "redrive")
	last := w.Ledger.Last[instance]
	item := wire.Item{Kind: wire.StartOrchestration, Instance: instance, Name: name, ID: fmt.Sprint(world.RedriveID, w.Steps),
		OnConflict: wire.ConflictRedrive, Origin: &history.Origin{Instance: instance}}
	if !w.Choices.OneIn(how, 3) {
		item.Origin.EventID = 1 + int64(w.Choices.IntN(how, len(w.Ledger.Executions[ledger.At(instance, last)].Events)))
		item.ID += fmt.Sprint(world.RedrivenFrom, item.Origin.EventID)
	}
	if w.Choices.Even(how) {
		item.Origin.ExecutionID = last
	}
	if !w.Ledger.Ended(instance) && w.Choices.Even(how) {
		s.resets(instance)
		w.SendItem(wire.Item{Kind: wire.TerminateInstance, Instance: instance, ExecutionID: last, ID: item.ID + "-end", Reason: "reset"})
	}
	w.SendItem(item)
	if soon := w.Choices.At(how, "stopped soon"); w.Choices.OneIn(soon, 4) {
		// Its children have to end too, those whose redrives are on their way still among them.
		s.resets(instance)
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(soon, 120))*time.Second, func() {
			w.SendItem(wire.Item{Kind: wire.TerminateInstance, Instance: instance, ID: item.ID + "-stop", Reason: "stopped"})
		})
	}
	if w.Choices.OneIn(how, 3) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(how, 48*60))*time.Minute, func() { w.SendItem(item) })
	}
}

// resets notes that somebody has ended an instance.
func (s *Random) resets(instance string) {
	for i := range s.roots {
		if s.roots[i].instance == instance {
			s.roots[i].terminated = true
		}
	}
	s.ended[instance] = true
}

// programOf is the program that an instance runs; nil for what is none.
func (s *Random) programOf(w *world.World, instance string) *program.Program {
	return s.program(w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])].Events[0].Name)
}
