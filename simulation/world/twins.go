package world

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/simulation/fault"
)

// twin is a batch that a second process gets with the receipts of the first: an event
// source of Lambda invokes its function at least once for what it has received
// (invocation-eventsourcemapping: "process each event at least once, and duplicate
// processing of records can occur"), and neither the queue nor the receive count tells.
type twin struct {
	batch []Delivered
	from  *Queue
	until time.Time
}

// makeTwin has a batch handed to another process as well: at once, seconds later, or at
// any time within the visibility of its messages.
func (w *World) makeTwin(from *Queue, batch []Delivered) bool {
	if slices.ContainsFunc(batch, func(m Delivered) bool { return m.Ghost || m.copy || m.From != from || m.ReceiveCount > 1 }) || !w.twinHit() {
		return false
	}
	t := twin{batch: slices.Clone(batch), from: from, until: w.Clock.Now().Add(visibility)}
	for i := range t.batch {
		t.batch[i].copy = true
	}
	how := w.How(fault.Twin)
	d := time.Duration(w.Choices.IntN(how, 1000)) * time.Millisecond
	d *= [...]time.Duration{0, 1, 20, 115}[w.Choices.IntN(how, 4)]
	w.Clock.AfterFunc(d, func() {
		w.meanwhile(batch[0].ID)
		w.twins = append(w.twins, t)
	})
	return true
}

// twinHit decides whether a batch has a twin.
func (w *World) twinHit() bool {
	if w.bias == twins && !w.calm && w.Choices.OneIn(w.Choices.At(w.How(fault.Twin), "twins"), 3) {
		w.faulted(fault.Twin)
		return true
	}
	return w.hit(fault.Twin)
}

// twinOf is the batch of a queue that another process has already; nil if there is none.
func (w *World) twinOf(from *Queue) []Delivered {
	w.twins = slices.DeleteFunc(w.twins, func(t twin) bool { return w.Clock.Now().After(t.until) })
	i := slices.IndexFunc(w.twins, func(t twin) bool { return t.from == from })
	if i < 0 {
		return nil
	}
	t := w.twins[i]
	w.twins = slices.Delete(w.twins, i, i+1)
	return t.batch
}

// diesBesideTwin reports whether the process of a batch that has a twin, or is one, is to
// die behind a commit.
func (w *World) diesBesideTwin(inv *Invocation) bool {
	return w.bias == twins && inv.Twin && w.Choices.OneIn(w.Choices.At(w.How(fault.CrashAfter), "twins"), 2)
}
