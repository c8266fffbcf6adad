package simulation

import (
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// reach counts how often a run came into the situation of each scenario. It is
// seen from outside: in what is received, stored, sent and answered.
type reach struct {
	stuck map[string]bool // instances
	wakes map[string]int  // deliveries, by instance and id
	// orphans are the schedules whose creator died behind their creation or
	// their removal.
	orphans map[string]bool
	// undispatched are the messages that were handed back on their fourth
	// receive or later by who had committed.
	undispatched map[string]bool
	// noise are the bodies that are dead letters with a reason.
	noise map[string]bool
	// early are events that came ahead of their start, by instance and sender id.
	early map[[2]string]bool
	// unknown are the tokens of commits whose writer was told that nobody
	// knows; unsaid, children whose end was committed by who died ahead of the
	// notice; waiting, stuck instances for which something was recorded.
	unknown map[string]bool
	unsaid  map[family]bool
	waiting map[string]bool
	// strict are instances that are stuck by rule 9.
	strict map[string]bool
	// first is the step at which each message was received first: it may have had
	// its effect on an instance that was purged when it came again. It stands here because
	// it is no part of the state of a scope.
	first map[string]int
}

func newReach() reach {
	return reach{stuck: map[string]bool{}, wakes: map[string]int{}, orphans: map[string]bool{},
		undispatched: map[string]bool{}, noise: map[string]bool{}, early: map[[2]string]bool{}, unknown: map[string]bool{},
		unsaid: map[family]bool{}, waiting: map[string]bool{}}
}

// progress is how far an invocation has come, seen from outside.
type progress struct {
	read perInstance[bool]
	// from and to are the executions of each instance that it committed.
	from, to perInstance[int64]
	// sends since its last commit.
	sends int
	// untold are children that it ended whose parents it did not tell yet.
	untold map[family]bool
	// refused are the instances for which the store failed.
	refused perInstance[bool]
	// ran: an activity was run, and nothing was committed since.
	ran bool
}

// note writes into a map that is made when it is needed: most invocations need
// few of theirs.
func note[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

// reachReceived looks at a batch that a process receives: M-01, M-04, M-07, M-08,
// M-15 to M-18, W-12, W-14.
func (w *checker) reachReceived(p *process, batch []delivered) {
	for i, m := range batch {
		if _, ok := w.reach.first[m.ID]; !ok {
			note(&w.reach.first, m.ID, w.Steps)
		}
		if w.reach.undispatched[m.ID] {
			w.reached("W-14")
		}
		item, err := w.item(m.Body)
		if err != nil {
			continue
		}
		target := item.Target()
		last := w.ledger.last[target]
		if item.Hops >= 3 && w.clock.Now().Sub(time.UnixMilli(item.FirstSeenMS)) < 5*time.Minute {
			w.reached("M-18")
		}
		if w.ledger.hidden[target] > 0 && len(batch) == 1 && w.clock.Now().Sub(p.idle) >= 24*time.Hour {
			w.of(p.running).afterDays = true // W-12, if it finds the instance in its cache
		}
		completion := item.SourceEventID > 0
		switch {
		case item.Kind == wire.Wake && item.Number > 0:
			key := target + " " + item.ID
			if w.reach.wakes[key]++; w.reach.wakes[key] == 3 {
				w.reached("M-15")
			}
		case last == 0 && item.Kind == wire.ExternalRaised:
			w.reach.early[[2]string{target, item.ID}] = true
		case item.Kind != wire.StartOrchestration && item.Kind != wire.Wake && (last == 0 || w.ledger.ended(target)):
			w.reached("M-08")
		case w.ledger.recorded(item) && (m.ReceiveCount > 1 || m.ghost):
			w.reached("M-04")
		case completion && (w.ledger.recorded(item) || slices.ContainsFunc(batch[:i], func(o delivered) bool {
			other, err := w.item(o.Body)
			return err == nil && other.SourceEventID > 0 && sameFact(item, other)
		})):
			w.reached("M-01")
		}
	}
}

// reachDeath looks at how far an invocation had come: W-01, W-03, W-05, W-06, W-11.
func (w *checker) reachDeath(inv *invocation) {
	switch {
	case inv.p.worker != nil:
		switch {
		case w.of(inv).progress.sends > 0:
			w.reached("W-06, sent")
		case w.of(inv).progress.ran:
			w.reached("W-06, not sent")
		}
	case w.of(inv).progress.ran:
		w.reached("W-01, inline results")
	case len(inv.committed) > 0:
	case len(w.of(inv).progress.read) == 0:
		w.reached("W-01, not read")
	default:
		w.reached("W-01, read")
	}
	w.countDeaths(inv)
	if inv.p.worker == nil && w.of(inv).progress.sends > 0 {
		if slices.ContainsFunc(inv.batch, func(m delivered) bool { return m.from == w.activityDead }) {
			w.reached("W-06, sent anew")
		}
	}
	switch {
	case inv.p.worker != nil, len(inv.committed) == 0:
	case w.of(inv).progress.sends > 0:
		w.reached("W-03")
	}
	for child := range w.of(inv).progress.untold {
		w.reach.unsaid[child] = true
	}
	for _, from := range w.of(inv).progress.from {
		if w.of(inv).progress.to.of(from.instance) >= from.value+2 {
			w.reached("W-11")
		}
	}
}

// reachReturned looks at what an invocation that has come to its end hands back:
// M-10, M-12, W-14.
func (w *checker) reachReturned(inv *invocation, failed map[string]bool) {
	if len(failed) == 0 {
		return
	}
	if inv.deadline.Sub(w.clock.Now()) < 10*time.Second {
		w.reached("M-12")
	}
	for _, m := range inv.batch {
		item, err := w.item(m.Body)
		if err != nil {
			continue
		}
		if !failed[m.ID] {
			if slices.ContainsFunc(inv.batch, func(o delivered) bool {
				other, err := w.item(o.Body)
				return err == nil && failed[o.ID] && w.of(inv).progress.refused.of(other.Target()) && other.Target() != item.Target()
			}) {
				w.reached("M-10")
			}
		} else if m.ReceiveCount >= 4 && inv.committed.of(item.Target()) {
			w.reach.undispatched[m.ID] = true
		}
	}
}

// reachSent looks at a message that a process has sent: M-03, M-05, M-14, M-16.
func (w *checker) reachSent(p *process, to *simQueue, m *queue.Outgoing) {
	inv := p.running
	if inv == nil {
		inv = &invocation{p: p} // It lands when its sender is done.
	}
	w.of(inv).progress.sends++
	if to == w.deadFIFO || to == w.deadStandard {
		switch reason, _, _ := strings.Cut(m.Attributes[wire.ReasonAttribute], ":"); wire.Reason(reason) {
		case wire.ReasonMisaddressed:
			w.reached("M-03")
		case wire.ReasonForged:
			w.reached("M-14")
		case wire.ReasonMalformed, wire.ReasonInvalidField, wire.ReasonUnknownKind, wire.ReasonUnknownVersion, wire.ReasonTooLarge:
			w.reached("M-05")
			w.reach.noise[m.Body] = true
		}
		return
	}
	item, err := w.item(m.Body)
	if err != nil {
		return
	}
	w.losing(p, item)
	if item.Kind == wire.SubOrchCompleted || item.Kind == wire.SubOrchFailed {
		child := family{item.Target(), item.TargetExecution(), item.SourceEventID}
		delete(w.of(inv).progress.untold, child)
		if w.reach.unsaid[child] && !p.dead {
			delete(w.reach.unsaid, child)
			w.reached("W-05")
		}
	}
	if to != w.fifo {
		return
	}
	for _, o := range inv.batch {
		if other, err := w.item(o.Body); err == nil && o.from == w.delay && sameFact(item, other) && item.Hops == other.Hops {
			w.reached("M-16")
		}
	}
}

// scheduled looks at a schedule that is created or removed: W-04.
func (w *checker) scheduled(p *process, name string) {
	if p.dead {
		w.reach.orphans[name] = true
		return
	}
	if w.reach.orphans[name] {
		delete(w.reach.orphans, name)
		w.reached("W-04")
	}
}
