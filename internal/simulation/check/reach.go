package check

import (
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// reach counts how often a run reached the situation of each scenario. It observes from
// outside which messages are received and sent, which data is stored, and which answers are
// returned.
type reach struct {
	stuck map[string]bool // instances
	wakes map[string]int  // deliveries, by instance and id
	// orphans are the schedules whose creator died after it created or removed them.
	orphans map[string]bool
	// undispatched are the messages that were returned to the queue on their fourth receive
	// or later by a process that had committed.
	undispatched map[string]bool
	// noise are the bodies of dead letters with a reason.
	noise map[string]bool
	// settled are the messages that a process has acknowledged.
	settled map[string]bool
	// early are events that arrived before their start, by instance and sender id.
	early map[[2]string]bool
	// unknown are the tokens of commits whose outcome their writer does not know; unsaid
	// are children whose end was committed by a process that died before it notified the
	// parent; waiting are stuck instances that have recorded events.
	unknown map[string]bool
	unsaid  map[ledger.Child]bool
	waiting map[string]bool
	// strict are instances that are stuck by rule 9.
	strict map[string]bool
	// first is the step at which each message was first received: it may have affected an
	// instance that was purged when it was redelivered. It is here because it does not
	// belong to the state of a scope.
	first map[string]int
}

func newReach() reach {
	return reach{stuck: map[string]bool{}, wakes: map[string]int{}, orphans: map[string]bool{},
		undispatched: map[string]bool{}, noise: map[string]bool{}, early: map[[2]string]bool{}, unknown: map[string]bool{},
		unsaid: map[ledger.Child]bool{}, waiting: map[string]bool{}}
}

// progress is how far an invocation has progressed, as observed from outside.
type progress struct {
	read ledger.ByInstance[bool]
	// from and to are the executions of each instance that it committed.
	from, to ledger.ByInstance[int64]
	// sends since its last commit.
	sends int
	// unreported are children that it ended and whose parents it has not notified yet.
	unreported map[ledger.Child]bool
	// refused are the instances for which the store returned an error.
	refused ledger.ByInstance[bool]
	// ran is set if it has run an activity, and has committed nothing since.
	ran bool
}

// reachReceived classifies a batch that a process receives: M-01, M-04, M-07, M-08, M-15 to
// M-18, W-12, W-14.
func (w *checker) reachReceived(p *world.Process, batch []world.Delivered) {
	for i, m := range batch {
		if _, ok := w.reach.first[m.ID]; !ok {
			note(&w.reach.first, m.ID, w.Steps)
		}
		if w.reach.undispatched[m.ID] {
			w.Reached("W-14")
		}
		item, err := w.Item(m.Body)
		if err != nil {
			continue
		}
		target := item.Target()
		last := w.Ledger.Last[target]
		if item.Hops >= 3 && w.Clock.Now().Sub(time.UnixMilli(item.FirstSeenMS)) < 5*time.Minute {
			w.Reached("M-18")
		}
		if w.Ledger.Hidden[target] > 0 && len(batch) == 1 && w.Clock.Now().Sub(p.Idle) >= 24*time.Hour {
			w.of(p.Running).afterDays = true // W-12, if it finds the instance in its cache
		}
		completion := item.SourceEventID > 0
		switch {
		case item.Kind == wire.Wake && item.Number > 0:
			key := target + " " + item.ID
			if w.reach.wakes[key]++; w.reach.wakes[key] == 3 {
				w.Reached("M-15")
			}
		case last == 0 && item.Kind == wire.ExternalRaised:
			w.reach.early[[2]string{target, item.ID}] = true
		case item.Kind != wire.StartOrchestration && item.Kind != wire.Wake && (last == 0 || w.Ledger.Ended(target)):
			w.Reached("M-08")
		case w.Ledger.Recorded(item) && (m.ReceiveCount > 1 || m.Ghost):
			w.Reached("M-04")
		case completion && (w.Ledger.Recorded(item) || slices.ContainsFunc(batch[:i], func(o world.Delivered) bool {
			other, err := w.Item(o.Body)
			return err == nil && other.SourceEventID > 0 && sameFact(item, other)
		})):
			w.Reached("M-01")
		}
	}
}

// reachDeath classifies how far an invocation had progressed: W-01, W-03, W-05, W-06, W-11.
func (w *checker) reachDeath(inv *world.Invocation) {
	switch {
	case inv.P.Worker != nil:
		switch {
		case w.of(inv).progress.sends > 0:
			w.Reached("W-06, sent")
		case w.of(inv).progress.ran:
			w.Reached("W-06, not sent")
		}
	case w.of(inv).progress.ran:
		w.Reached("W-01, inline results")
	case len(inv.Committed) > 0:
	case len(w.of(inv).progress.read) == 0:
		w.Reached("W-01, not read")
	default:
		w.Reached("W-01, read")
	}
	w.countDeaths(inv)
	if inv.P.Worker == nil && w.of(inv).progress.sends > 0 {
		if slices.ContainsFunc(inv.Batch, func(m world.Delivered) bool { return m.From == w.ActivityDead }) {
			w.Reached("W-06, sent anew")
		}
	}
	switch {
	case inv.P.Worker != nil, len(inv.Committed) == 0:
	case w.of(inv).progress.sends > 0:
		w.Reached("W-03")
	}
	for child := range w.of(inv).progress.unreported {
		w.reach.unsaid[child] = true
	}
	for _, from := range w.of(inv).progress.from {
		if w.of(inv).progress.to.Of(from.Instance) >= from.Value+2 {
			w.Reached("W-11")
		}
	}
}

// reachReturned classifies what an invocation returns to the queue at its end: M-10, M-12,
// W-14.
func (w *checker) reachReturned(inv *world.Invocation, failed map[string]bool) {
	if len(failed) == 0 {
		return
	}
	if inv.Deadline.Sub(w.Clock.Now()) < 10*time.Second {
		w.Reached("M-12")
	}
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err != nil {
			continue
		}
		if !failed[m.ID] {
			if slices.ContainsFunc(inv.Batch, func(o world.Delivered) bool {
				other, err := w.Item(o.Body)
				return err == nil && failed[o.ID] && w.of(inv).progress.refused.Of(other.Target()) && other.Target() != item.Target()
			}) {
				w.Reached("M-10")
			}
		} else if m.ReceiveCount >= 4 && inv.Committed.Of(item.Target()) {
			w.reach.undispatched[m.ID] = true
		}
	}
}

// reachSent classifies a message that a process has sent: M-03, M-05, M-14, M-16.
func (w *checker) reachSent(p *world.Process, to *world.Queue, m *queue.Outgoing) {
	inv := p.Running
	if inv == nil {
		inv = &world.Invocation{P: p} // It lands after its sender has ended.
	}
	w.of(inv).progress.sends++
	if to == w.DeadFIFO || to == w.DeadStandard {
		w.checkLost(m)
		switch reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":"); wire.Reason(reason) {
		case wire.ReasonMisaddressed:
			w.Reached("M-03")
		case wire.ReasonForged:
			w.Reached("M-14")
		case wire.ReasonMalformed, wire.ReasonInvalidField, wire.ReasonUnknownKind, wire.ReasonUnknownVersion, wire.ReasonTooLarge:
			w.Reached("M-05")
			w.reach.noise[m.Body] = true
		}
		return
	}
	item, err := w.Item(m.Body)
	if err != nil {
		return
	}
	w.losing(p, item)
	if item.Kind == wire.SubOrchCompleted || item.Kind == wire.SubOrchFailed {
		child := ledger.Child{Parent: item.Target(), Execution: item.TargetExecution(), EventID: item.SourceEventID}
		delete(w.of(inv).progress.unreported, child)
		if w.reach.unsaid[child] && !p.Dead {
			delete(w.reach.unsaid, child)
			w.Reached("W-05")
		}
	}
	if to != w.FIFO {
		return
	}
	for _, o := range inv.Batch {
		if other, err := w.Item(o.Body); err == nil && o.From == w.Delay && sameFact(item, other) && item.Hops == other.Hops {
			w.Reached("M-16")
		}
	}
}

// Scheduled classifies a schedule that is created or removed: W-04.
func (w *checker) Scheduled(p *world.Process, name string) {
	if p.Dead {
		w.reach.orphans[name] = true
		return
	}
	if w.reach.orphans[name] {
		delete(w.reach.orphans, name)
		w.Reached("W-04")
	}
}
