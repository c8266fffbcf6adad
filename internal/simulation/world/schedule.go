package world

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// run runs everything until nothing is left to happen.
func (w *World) run() {
	var ready []*Process // that can continue
	for w.Steps = 0; len(w.Violations) == 0; w.Steps++ {
		if w.Steps > w.most {
			if w.givenUp = w.most < MaxSteps; w.givenUp {
				return
			}
			w.Violate("I-03", "no end to the messages after %d steps: %s", w.Steps, w.LeftText())
			return
		}
		if !w.calm && (w.plan.left <= 0 || !w.Clock.Now().Before(w.plan.until)) {
			w.calmDown()
		}
		w.surprises()
		ready = ready[:0]
		for _, p := range w.Processes {
			if p.Running != nil && !p.Running.wakeAt.After(w.Clock.Now()) {
				ready = append(ready, p)
			}
		}
		// Starting another batch is as likely as each step of the running ones.
		if n := w.Choices.IntN(w.turn(ready), len(ready)+1); n < len(ready) {
			ready[n].step()
			continue
		}
		if w.receive() {
			continue
		}
		if len(ready) > 0 {
			ready[w.Choices.IntN(w.turn(ready), len(ready))].step()
			continue
		}
		next, ok := w.nextDue()
		if !ok {
			if w.calm && w.Redrive() == 0 {
				return
			}
			w.calmDown()
			continue
		}
		if next.Sub(epoch) > longest {
			w.Violate("I-03", "not settled after %s: %s", longest, w.LeftText())
			return
		}
		// A message that stays in the delay queue for days does not delay the redrive of
		// dead letters.
		late := w.calm && w.Clock.Now().Sub(w.looked) > 24*redriven
		if rest := next.Sub(w.Clock.Now()); w.calm && rest > redriven || rest > 24*redriven || late {
			if w.looked = w.Clock.Now(); w.Redrive() > 0 {
				continue
			}
		}
		if !w.calm && next.After(w.plan.until) {
			next = w.plan.until // Operators do not wait for the next timer.
		}
		w.Clock.AdvanceTo(next)
	}
}

func (w *World) nextDue() (next time.Time, ok bool) {
	next, ok = w.Clock.Next()
	for _, p := range w.Processes {
		if p.Running != nil && (!ok || p.Running.wakeAt.Before(next)) {
			next, ok = p.Running.wakeAt, true
		}
	}
	return next, ok
}

// calmDown stops the faults and deploys a build that works.
func (w *World) calmDown() {
	if w.calm {
		return
	}
	w.Log("FAULTS STOP")
	w.calm, w.Calmed, w.looked = true, w.Clock.Now(), w.Clock.Now()
	w.restoreAll()
	if w.Encoding.complete != nil {
		w.Good = w.Scenario.Working() // The same code, with all keys: each process is replaced.
	}
	w.deploy(w.Good, 0)
	w.servesAll()
}

// turn returns the spot of the decision which process runs next. It is named by the action
// that the first process that can continue is about to take.
func (w *World) turn(ready []*Process) choice.Spot {
	if len(ready) == 0 || !w.Choices.Located() {
		return choice.OfSchedule
	}
	return w.Choices.At(choice.OfSchedule, ready[0].Running.about)
}
