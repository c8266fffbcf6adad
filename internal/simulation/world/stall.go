package world

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// stalls decides before which of its calls a process pauses for longer than its
// messages are hidden; 0 for none. A paused machine does not notice, and continues until
// its time limit stops it.
func (w *World) stalls(worker bool) int {
	how := w.How(fault.Stalled)
	if !w.stallHit(worker, w.Choices.At(how, "bias")) {
		return 0
	}
	return 1 + w.Choices.IntN(how, [...]int{3, 8, 20}[w.Choices.IntN(how, 3)])
}

func (w *World) stallHit(worker bool, at choice.Spot) bool {
	n := 0
	switch {
	case w.calm || worker:
	case w.has(overtaken):
		n = 3
	case w.has(purges):
		n = 5
	}
	if n > 0 && w.Choices.OneIn(at, n) {
		w.faulted(fault.Stalled)
		return true
	}
	return w.hit(fault.Stalled)
}

// stallsNow pauses a process if it is due before this call.
func (p *Process) stallsNow() {
	inv := p.Running
	if inv == nil || inv.stallIn == 0 {
		return
	}
	if inv.stallIn--; inv.stallIn > 0 {
		return
	}
	hidden := visibility
	if p.Worker != nil {
		hidden = visibilityOfActivities
	}
	how := p.W.How(fault.Stalled)
	d := hidden + time.Duration(p.W.Choices.IntN(how, 60_000))*time.Millisecond
	inv.Expired, inv.Slowed, inv.SlowCall = true, true, true
	inv.Deadline = p.W.Clock.Now().Add(d + time.Duration(p.W.Choices.IntN(how, 10_000))*time.Millisecond)
	p.W.Faults[fault.Stalled]++ // A message that was answered before may now be received again.
	p.W.Log("%s stands still for %s", p.Name, d)
	p.Pause(d)
}
