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
	// twin: another process has it already, with the same receipts. An event source
	// of Lambda invokes its function at least once for what it has received
	// (invocation-eventsourcemapping: "process each event at least once, and duplicate
	// processing of records can occur"), and neither the queue nor the receive count tells.
	twin bool
}

// makeTwin has a batch handed to another process as well: at once, seconds later, or at
// any time within the visibility of its messages.
func (w *World) makeTwin(from *Queue, batch []Delivered) bool {
	if slices.ContainsFunc(batch, func(m Delivered) bool { return m.Ghost || m.Copied || m.From != from || m.ReceiveCount > 1 }) || !w.twinHit() {
		return false
	}
	t := later{batch: slices.Clone(batch), from: from, until: w.Clock.Now().Add(visibility), twin: true}
	for i := range t.batch {
		t.batch[i].Copied = true
		note(&w.twins, t.batch[i].ID, true)
		if item, err := w.Item(t.batch[i].Body); err == nil {
			note(&w.twinned, factOf(item), true)
		}
	}
	how := w.How(fault.Twin)
	d := time.Duration(w.Choices.IntN(how, 1000)) * time.Millisecond
	d *= [...]time.Duration{0, 1, 20, 115}[w.Choices.IntN(how, 4)]
	w.Clock.AfterFunc(d, func() {
		w.meanwhile(batch[0].ID)
		w.later = append(w.later, t)
	})
	return true
}

// factOf names what an item says, however often it has gone round.
func factOf(item *wire.Item) string {
	fact := *item
	fact.Hops = 0
	return wire.DedupID(&fact)
}

// HadTwin reports whether two processes had a message that said the same as this item, with
// the same receipts.
func (w *World) HadTwin(item *wire.Item) bool { return w.twinned[factOf(item)] }

// WasTwin reports whether two processes had a message, with the same receipts.
func (w *World) WasTwin(id string) bool { return w.twins[id] }

// twinHit decides whether a batch has a twin.
func (w *World) twinHit() bool {
	if w.has(twins) && !w.calm && w.Choices.OneIn(w.Choices.At(w.How(fault.Twin), "twins"), 3) {
		w.faulted(fault.Twin)
		return true
	}
	return w.hit(fault.Twin)
}

// laterOf is a batch of a queue that was received before; false if there is none.
func (w *World) laterOf(from *Queue) (l later, found bool) {
	w.later = slices.DeleteFunc(w.later, func(l later) bool {
		over := w.Clock.Now().After(l.until)
		if over && !l.twin {
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
	if !l.twin && !w.Clock.Now().Before(l.until.Add(-startTakes)) {
		for n := range l.batch {
			l.batch[n].Late = true
		}
	}
	return l, true
}

// isHeld decides whether a batch waits for its function, which is throttled. Lambda hands
// it over when it can, and drops it when the visibility of its messages is over
// (services-sqs-errorhandling: "until the message's timestamp exceeds your queue's
// visibility timeout, at which point Lambda drops the message"). Where it hands a batch over at
// the last moment, the handler begins when its process has started.
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

// startTakes is how long a process takes at most until its handler begins.
const startTakes = 20 * time.Second

// isHandledByNobody lets what was received come again when its visibility is over.
func (w *World) isHandledByNobody(batch []Delivered) {
	if w.Tracing {
		w.Log("a receive of %s is handled by nobody", batchText(batch))
	}
	for _, m := range batch {
		w.ghostReturns(m)
	}
}

// diesBesideTwin reports whether the process of a batch that has a twin, or is one, is to
// die after a commit.
func (w *World) diesBesideTwin(inv *Invocation) bool {
	return w.has(twins) && inv.Twin && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "twins"), 2)
}
