package scenario

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// suspends lets clients suspend and resume an instance, some time after its start; together
// is the time at which its events arrive. A resume may be missing, sent twice, or sent
// before its suspend: an operator resumes instances that stay suspended.
func (s *Random) suspends(w *world.World, instance string, after, together time.Duration) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, instance), "suspend")
	for i := range w.Suspends(how) {
		at := time.Duration(w.Choices.IntN(how, 120)) * time.Second
		switch {
		case w.Choices.Even(how):
			at *= 60
		case together >= 0 && w.Choices.Even(how):
			at = together
		}
		id := fmt.Sprint(i)
		if of := w.Ledger.Executions[ledger.At(instance, w.Ledger.First(instance))]; of != nil && of.Of.Instance != "" {
			id += "-" + instance // A fork knows the ids of the suspends of its original.
		}
		suspend := wire.Item{Kind: wire.SuspendInstance, Instance: instance, ID: "suspend-" + id, Reason: "reason " + id}
		resume := wire.Item{Kind: wire.ResumeInstance, Instance: instance, ID: "go-on-" + id}
		if until := w.Choices.At(how, fmt.Sprint("until", i)); w.Choices.OneIn(until, 3) {
			suspend.NotBeforeMS = w.Clock.Now().Add(after + at + s.while(w, until)).UnixMilli()
		}
		for n := range 1 + w.Choices.IntN(how, 2) {
			w.Clock.AfterFunc(after+at+time.Duration(n*w.Choices.IntN(how, 3600))*time.Second, func() { w.SendItem(suspend) })
		}
		if w.Choices.OneIn(how, 3) {
			continue
		}
		pause := []time.Duration{0, time.Second, time.Minute}[w.Choices.IntN(how, 3)] * time.Duration(w.Choices.IntN(how, 60))
		for n := range 1 + w.Choices.IntN(how, 2) {
			w.Clock.AfterFunc(after+at+pause+time.Duration(n*w.Choices.IntN(how, 3600))*time.Second, func() { w.SendItem(resume) })
		}
	}
}

// while returns how long something waits that continues by itself: through the delay queue, or with
// a schedule.
func (s *Random) while(w *world.World, at choice.Spot) time.Duration {
	return time.Duration(1+w.Choices.IntN(at, 120)) * []time.Duration{time.Second, time.Minute}[w.Choices.IntN(at, 2)]
}

// later sometimes delays the start of the code, and sometimes changes that time.
func (s *Random) later(w *world.World, start *wire.Item, after time.Duration) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, start.Instance), "later")
	if !w.Choices.OneIn(how, w.SeldomSuspends()) {
		return
	}
	starts := w.Clock.Now().Add(after + s.while(w, how))
	start.NotBeforeMS = starts.UnixMilli()
	for i := range w.Choices.IntN(how, 3) {
		move := wire.Item{Kind: wire.SuspendInstance, Instance: start.Instance, ExecutionID: 1, ID: fmt.Sprintf("move-%d", i), SchedulingEventID: 2,
			NotBeforeMS: w.Clock.Now().Add(after + s.while(w, how)).UnixMilli()}
		w.Clock.AfterFunc(after+s.while(w, how)/2, func() { w.SendItem(move) })
	}
}
