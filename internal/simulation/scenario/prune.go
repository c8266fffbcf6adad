package scenario

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// prunes prunes earlier executions of all instances, in a run whose programs keep few: when
// those that ended first are old enough, and days later, when more of them are.
func (s *Random) prunes(w *world.World) {
	if s.keeps == 0 {
		return
	}
	how := w.Choices.At(choice.OfClient, "prune")
	at := held - time.Duration(w.Choices.IntN(how, 12))*time.Hour
	for i := range 1 + w.Choices.IntN(how, 3) {
		at += time.Duration(w.Choices.IntN(how, 5*24*60)) * time.Minute
		w.Clock.AfterFunc(at, func() { s.prune(w, w.Choices.At(how, fmt.Sprint(i))) })
	}
}

// prune requests the pruning of executions, at another moment for each instance, and makes other
// things happen to some of them.
func (s *Random) prune(w *world.World, how choice.Spot) {
	w.Unrest(how)
	for _, instance := range w.Ledger.Instances() {
		last := w.Ledger.Last[instance]
		if last < 2 {
			continue
		}
		at := w.Choices.At(how, instance)
		for n := range 1 + w.Choices.IntN(at, 2) {
			item := wire.Item{Kind: wire.PurgeInstance, Instance: instance, ID: fmt.Sprintf("prune-%d-%d", w.Steps, n), UpToExecution: max(1, last-int64(w.Choices.IntN(at, 4)))}
			send := func() { w.SendItem(item) }
			w.Clock.AfterFunc(time.Duration(w.Choices.IntN(at, 600))*time.Second, send)
			if w.Choices.OneIn(at, 4) {
				w.Clock.AfterFunc(time.Duration(w.Choices.IntN(at, 24*60))*time.Minute, send)
			}
		}
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(at, 600))*time.Second, func() { s.besidePrune(w, at, instance) })
	}
	if w.Choices.OneIn(w.Choices.At(how, "rolled back"), 4) && w.Build == w.Good {
		w.DeployBroken()
	}
}

// besidePrune does something to an instance whose executions are pruned.
func (s *Random) besidePrune(w *world.World, how choice.Spot, instance string) {
	x := w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])]
	if w.Ledger.Hidden[instance] == w.Ledger.Last[instance] || s.program(x.Events[0].Name) == nil {
		return
	}
	name := x.Events[0].Name
	switch w.Choices.IntN(how, 8) {
	case 1, 2:
		s.redrive(w, instance, name)
	case 3:
		s.fork(w, instance, name)
	case 4:
		if r := s.rootOf(instance); r != nil {
			s.restart(w, r)
		}
	case 5:
		if w.Ledger.Ended(instance) {
			s.purged = s.purged || !s.isRoot(instance)
			w.Faults[fault.Purged]++
			w.SendItem(wire.Item{Kind: wire.PurgeInstance, Instance: instance, ID: fmt.Sprintf("after-prune-%d", w.Steps)})
		}
	}
}
