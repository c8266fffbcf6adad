package scenario

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// mostForks limits the forks of a run, because forks are forked too.
const mostForks = 5

// forkOf is the prefix of the ids of forks.
const forkOf = "fork"

// forks lets a client fork an instance some time after its start: while it runs, while it is
// stuck, after it has ended or was redriven, or after it was purged.
func (s *Random) forks(w *world.World, instance, name string) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, instance), "fork")
	for range w.Forks(how) {
		at := time.Duration(w.Choices.IntN(how, 120)) * []time.Duration{time.Second, time.Minute, 20 * time.Minute}[w.Choices.IntN(how, 3)]
		w.Clock.AfterFunc(at, func() { s.fork(w, instance, name) })
	}
}

// fork makes another instance continue where one has failed, where it is now, or from one of its
// events. Sometimes the same fork is sent again hours later, or another one with that id.
func (s *Random) fork(w *world.World, instance, name string) {
	last := w.Ledger.Last[instance]
	x := w.Ledger.Executions[ledger.At(instance, last)]
	if s.forked == mostForks || x == nil {
		return
	}
	s.redriven = true
	s.forked++
	how := w.Choices.At(w.Choices.At(w.Choices.At(choice.OfClient, instance), "fork"), fmt.Sprint(s.forked))
	item := wire.Item{Kind: wire.StartOrchestration, Instance: fmt.Sprint(forkOf, s.forked), Name: name, ID: fmt.Sprint(world.ForkID, s.forked),
		Origin: &history.Origin{Instance: instance}}
	if w.Choices.Even(how) {
		item.Origin.EventID = 1 + int64(w.Choices.IntN(how, len(x.Events)))
		item.ID += fmt.Sprint(world.RedrivenFrom, item.Origin.EventID)
	}
	if w.Choices.Even(how) {
		item.Origin.ExecutionID = last
	}
	w.MeetsFork(w.Choices.At(how, "deployed"))
	w.SendItem(item)
	again := w.Choices.At(how, "again")
	if w.Choices.OneIn(again, 3) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(again, 48*60))*time.Minute, func() { w.SendItem(item) })
	}
	if w.Choices.OneIn(again, 6) {
		other := item
		other.ID = world.ForkID + "other-" + item.ID
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(again, 600))*time.Second, func() { w.SendItem(other) })
	}
}
