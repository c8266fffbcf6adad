package world

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// later is a batch that a process gets some time after it was received.
type later struct {
	batch []Delivered
	from  *Queue
	until time.Time
	// duplicate is set if another process already has the batch, with the same receipts. An event
	// source of Lambda invokes its function at least once for each batch that it has received
	// (invocation-eventsourcemapping: "process each event at least once, and duplicate processing
	// of records can occur"), and neither the queue nor the receive count shows it.
	duplicate bool
}

// makeDuplicate delivers a batch to another process as well: at once, seconds later, or at any time
// before the visibility of its messages ends.
func (w *World) makeDuplicate(from *Queue, batch []Delivered) bool {
	if slices.ContainsFunc(batch, func(m Delivered) bool { return m.Ghost || m.Copied || m.From != from || m.ReceiveCount > 1 }) || !w.duplicateHit() {
		return false
	}
	t := later{batch: slices.Clone(batch), from: from, until: w.Clock.Now().Add(visibility), duplicate: true}
	for i := range t.batch {
		t.batch[i].Copied = true
		note(&w.duplicates, t.batch[i].ID, true)
		if item, err := w.Item(t.batch[i].Body); err == nil {
			note(&w.duplicated, factOf(item), true)
		}
	}
	how := w.How(fault.Duplicate)
	d := time.Duration(w.Choices.IntN(how, 1000)) * time.Millisecond
	d *= [...]time.Duration{0, 1, 20, 115}[w.Choices.IntN(how, 4)]
	w.Clock.AfterFunc(d, func() {
		w.meanwhile(batch[0].ID)
		w.later = append(w.later, t)
	})
	return true
}

// factOf identifies the fact that an item states, however often the item was requeued.
func factOf(item *wire.Item) string {
	fact := *item
	fact.Hops = 0
	return wire.DedupID(&fact)
}

// HadDuplicate reports whether two processes had a message that states the same as this item, with the
// same receipts.
func (w *World) HadDuplicate(item *wire.Item) bool { return w.duplicated[factOf(item)] }

// WasDuplicate reports whether two processes had a message, with the same receipts.
func (w *World) WasDuplicate(id string) bool { return w.duplicates[id] }

// duplicateHit decides whether a batch gets a duplicate invocation.
func (w *World) duplicateHit() bool {
	if w.has(duplicates) && !w.calm && w.Choices.OneIn(w.Choices.At(w.How(fault.Duplicate), "twins"), 3) {
		w.faulted(fault.Duplicate)
		return true
	}
	return w.hit(fault.Duplicate)
}

// laterOf returns a batch of a queue that was received earlier; false if there is none.
func (w *World) laterOf(from *Queue) (l later, found bool) {
	w.later = slices.DeleteFunc(w.later, func(l later) bool {
		over := w.Clock.Now().After(l.until)
		if over && !l.duplicate {
			w.isHandledByNobody(l.batch)
		}
		return over
	})
	i := slices.IndexFunc(w.later, func(l later) bool { return l.from == from })
	if i < 0 {
		return later{}, false
	}
	l = w.later[i]
	w.later = slices.Delete(w.later, i, i+1)
	if !l.duplicate && !w.Clock.Now().Before(l.until.Add(-startTakes-extendTakes)) {
		for n := range l.batch {
			l.batch[n].Late = true
		}
	}
	return l, true
}

// isHeld decides whether a batch waits because its function is throttled. Lambda delivers it when it
// can, and drops it when the visibility of its messages ends (services-sqs-errorhandling: "until the
// message's timestamp exceeds your queue's visibility timeout, at which point Lambda drops the
// message"). If Lambda delivers a batch at the last moment, the handler starts when its process has
// started.
func (w *World) isHeld(from *Queue, batch []Delivered) bool {
	if !w.hit(fault.Held) {
		return false
	}
	most := visibility
	if from.isActivities() {
		most = visibilityOfActivities
	}
	most += startTakes
	how := w.How(fault.Held)
	part := time.Duration(w.Choices.IntN(how, 1000))
	d := [...]time.Duration{part * most / 1000, most - part*2*startTakes/1000, part * most / 20_000}[w.Choices.IntN(how, 3)]
	if w.Tracing {
		w.Log("%s wait for their function", batchText(batch))
	}
	l := later{batch: batch, from: from, until: w.Clock.Now().Add(most)}
	w.Clock.AfterFunc(d, func() {
		w.meanwhile(batch[0].ID)
		w.later = append(w.later, l)
	})
	return true
}

// startTakes is the longest time from delivery until the handler of a process starts, and extendTakes
// the longest time until a worker has extended the visibility of a message. If a message is delivered
// later than that before its visibility ends, another process may receive it first.
const (
	startTakes  = 20 * time.Second
	extendTakes = time.Second
)

// isHandledByNobody makes a received batch visible again when its visibility timeout ends, without any
// process handling it.
func (w *World) isHandledByNobody(batch []Delivered) {
	if w.Tracing {
		w.Log("a receive of %s is handled by nobody", batchText(batch))
	}
	for _, m := range batch {
		w.ghostReturns(m)
	}
}

// diesBesideDuplicate reports whether the process of a batch that has a duplicate invocation, or is
// one, should die after a commit.
func (w *World) diesBesideDuplicate(inv *Invocation) bool {
	return w.has(duplicates) && inv.Duplicate && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "twins"), 2)
}
