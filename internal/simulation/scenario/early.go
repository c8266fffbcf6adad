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

// firesEarly lets an operator fire an open timer of an instance, some time after its start;
// together is the time at which its events arrive.
func (s *Random) firesEarly(w *world.World, instance string, together time.Duration) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, instance), "fire")
	if !w.Choices.OneIn(how, 4) {
		return
	}
	for i := range 1 + w.Choices.IntN(how, 3) {
		at := time.Duration(1+w.Choices.IntN(how, 120)) * []time.Duration{time.Second, time.Minute}[w.Choices.IntN(how, 2)]
		if together >= 0 && w.Choices.Even(how) {
			at = together
		}
		w.Clock.AfterFunc(at, func() { s.fireEarly(w, instance, i) })
	}
}

// fireEarly fires one of the open timers, sometimes twice, at the same time as another
// operator, or at the time at which the timer fires on its own.
func (s *Random) fireEarly(w *world.World, instance string, n int) {
	last := w.Ledger.Last[instance]
	x := w.Ledger.Executions[ledger.At(instance, last)]
	if x == nil || x.End() != nil {
		return
	}
	var open []*history.Event
	for i := range x.Events {
		if e := &x.Events[i]; e.Kind == history.TimerCreated && x.Completed[e.EventID] == 0 && !x.Stopped[e.EventID] {
			open = append(open, e)
		}
	}
	if len(open) == 0 {
		return
	}
	how := w.Choices.At(w.Choices.At(w.Choices.At(choice.OfClient, instance), "fire"), fmt.Sprint(n))
	timer := open[w.Choices.IntN(how, len(open))]
	item := wire.Item{Kind: wire.FireTimer, Instance: instance, ExecutionID: last, SourceEventID: timer.EventID}
	fire := func(again int) {
		own := item
		own.ID = world.FireID(timer.EventID, n, again)
		own.Reason = own.ID + " is why"
		w.SendItem(own)
	}
	after := time.Duration(0)
	if left := time.UnixMilli(timer.FireAtMS).Sub(w.Clock.Now()); left > 0 && w.Choices.OneIn(how, 3) {
		after = left
	}
	w.Clock.AfterFunc(after, func() { fire(0) })
	if w.Choices.OneIn(how, 3) {
		w.Clock.AfterFunc(after+time.Duration(w.Choices.IntN(how, 3600))*time.Second, func() { fire(w.Choices.IntN(how, 2)) })
	}
}
