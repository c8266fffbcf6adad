package simulation

import (
	"context"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
)

// receive takes a batch from a queue and gives it to a process.
func (w *World) receive() bool {
	if w.noneReceives() {
		return false
	}
	left := [...]*simQueue{w.fifo, w.delay, w.activityDead, w.activity}
	for n := len(left); n > 0; n-- {
		i := w.choices.IntN(w.choices.At(choice.OfDelivery, w.lately), n)
		from := left[i]
		copy(left[i:], left[i+1:])
		worker := from == w.activity
		if !w.free(worker) {
			continue
		}
		batch := w.receiveFrom(from)
		if len(batch) == 0 {
			continue
		}
		if w.hit(Unhandled) {
			if w.tracing {
				w.log("a receive of %s is handled by nobody", batchText(batch))
			}
			for _, m := range batch {
				w.ghostReturns(m)
			}
			return true
		}
		p := w.idle(worker)
		if !worker && w.hit(MixedBatch) {
			batch = append(batch, w.receiveFrom(w.sources[w.choices.IntN(w.how(MixedBatch), 3)])...)
		}
		expired := w.hit(Expired)
		if expired {
			for _, m := range batch {
				if !m.ghost {
					_ = m.from.Queue.SetVisibility(context.Background(), time.Duration(w.choices.IntN(w.how(Expired), 3))*time.Second, m.Message)
				}
			}
		}
		inv := p.invoke(batch)
		inv.expired = expired
		return true
	}
	return false
}

func (w *World) receiveFrom(from *simQueue) []delivered {
	var batch []delivered
	for i, g := range w.returning {
		if g.from == from {
			w.returning = slices.Delete(w.returning, i, i+1)
			g.ReceiveCount++
			return []delivered{g}
		}
	}
	w.copies = slices.DeleteFunc(w.copies, func(c delivered) bool { return w.clock.Now().After(c.until) })
	for i, c := range w.copies {
		if c.from == from {
			w.copies = slices.Delete(w.copies, i, i+1)
			return []delivered{c}
		}
	}
	if len(w.ghosts) > 0 && w.hit(Ghost) {
		g := w.ghosts[w.choices.IntN(w.how(Ghost), len(w.ghosts))]
		if g.from == from {
			g.ghost = true
			g.ReceiveCount++
			return []delivered{g}
		}
	}
	// As many as there may be in half of the cases.
	n := min(1+w.choices.IntN(w.choices.At(w.choices.At(choice.OfDelivery, from.name), w.lately), 20), 10)
	msgs, err := from.Queue.Receive(context.Background(), n, 0)
	if err != nil {
		w.violate("world", "receive: %v", err)
	}
	for _, m := range msgs {
		if m.ReceiveCount == 1 && (from == w.delay || from == w.activityDead) && w.hit(Copied) {
			w.copy(from.delivered(m))
		}
		if w.hit(CountedUp) {
			m.ReceiveCount += 1 + w.choices.IntN(w.how(CountedUp), 4)
		}
		batch = append(batch, from.delivered(m))
	}
	return batch
}

// copy has another copy of a message that was just received handed out while it
// is in flight: at once, or some seconds later.
func (w *World) copy(m delivered) {
	m.copy, m.until = true, w.clock.Now().Add(time.Minute)
	d := time.Duration(w.choices.IntN(w.how(Copied), 1000)) * time.Millisecond
	d *= [...]time.Duration{0, 1, 1, 20}[w.choices.IntN(w.how(Copied), 4)]
	w.clock.AfterFunc(d, func() {
		w.meanwhile(m.ID)
		w.copies = append(w.copies, m)
	})
}

// delivered is a message that was received of the queue.
func (q *simQueue) delivered(m queue.Message) delivered {
	source := host.SourceOrchestrator
	switch q {
	case q.w.delay:
		source = host.SourceDelay
	case q.w.activityDead:
		source = host.SourceActivityDead
	case q.w.activity:
		source = host.SourceActivity
	}
	return delivered{Delivery: host.Delivery{Message: m, Source: source}, from: q}
}
