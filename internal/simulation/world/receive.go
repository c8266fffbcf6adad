package world

import (
	"context"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

// receive takes a batch from a queue and gives it to a process.
func (w *World) receive() bool {
	if w.noneReceives() {
		return false
	}
	left := slices.Clone(w.Sources)
	for n := len(left); n > 0; n-- {
		i := w.Choices.IntN(w.Choices.At(choice.OfDelivery, w.lately), n)
		from := left[i]
		copy(left[i:], left[i+1:])
		serves := from.servers()
		worker := serves != nil
		if !w.free(serves) || from.standsStill() {
			continue
		}
		if l, found := w.laterOf(from); found {
			w.idle(serves).invoke(l.batch, false).Duplicate = l.duplicate
			return true
		}
		batch := w.receiveFrom(from)
		if len(batch) == 0 {
			continue
		}
		if w.givesUp(from, batch) {
			w.giveUp(batch)
			return true
		}
		if w.hit(fault.Unhandled) {
			w.isHandledByNobody(batch)
			return true
		}
		if w.isHeld(from, batch) {
			return true
		}
		duplicate := !worker && w.makeDuplicate(from, batch)
		p := w.idle(serves)
		// A standard queue delivers at least once. A FIFO queue hides a message that it has
		// delivered, and its group, until the visibility timeout ends or the message is
		// deleted (SQS Developer Guide, "Processing multiple ordered message groups").
		expired := !from.FIFO() && w.receivedTwice(worker)
		if expired {
			for _, m := range batch {
				if !m.Ghost && !m.From.FIFO() {
					_ = m.From.Queue.SetVisibility(context.Background(), time.Duration(w.Choices.IntN(w.How(fault.Expired), 3))*time.Second, m.Message)
				}
			}
		}
		stall := w.stalls(worker)
		inv := p.invoke(batch, expired)
		inv.Duplicate, inv.stallIn = duplicate, stall
		return true
	}
	return false
}

func (w *World) receiveFrom(from *Queue) []Delivered {
	var batch []Delivered
	for i, g := range w.returning {
		if g.From == from {
			w.returning = slices.Delete(w.returning, i, i+1)
			g.ReceiveCount, g.ReceivedAt = g.ReceiveCount+1, time.Time{}
			return []Delivered{g}
		}
	}
	w.copies = slices.DeleteFunc(w.copies, func(c Delivered) bool { return w.Clock.Now().After(c.until) })
	for i, c := range w.copies {
		if c.From == from {
			w.copies = slices.Delete(w.copies, i, i+1)
			return []Delivered{c}
		}
	}
	if len(w.ghosts) > 0 && w.hit(fault.Ghost) {
		g := w.ghosts[w.Choices.IntN(w.How(fault.Ghost), len(w.ghosts))]
		if g.From == from {
			g.Ghost = true
			g.ReceiveCount, g.ReceivedAt = g.ReceiveCount+1, time.Time{}
			return []Delivered{g}
		}
	}
	n := w.mostAtOnce(w.Choices.At(w.Choices.At(choice.OfDelivery, from.Name), w.lately))
	msgs, err := w.handsOut(from, n)
	if err != nil {
		w.Violate("world", "receive: %v", err)
	}
	for _, m := range msgs {
		if m.ReceiveCount == 1 && !from.FIFO() && w.hit(fault.Copied) {
			w.copy(from.delivered(m))
		}
		if w.hit(fault.CountedUp) {
			m.ReceiveCount += 1 + w.Choices.IntN(w.How(fault.CountedUp), 4)
		}
		if m.ReceiveCount > 1 {
			m.ReceivedAt = time.Time{} // SQS reports when the message was first received.
		}
		batch = append(batch, from.delivered(m))
	}
	return batch
}

// copy delivers another copy of a message that was just received while it is in flight: at
// once, or some seconds later.
func (w *World) copy(m Delivered) {
	m.Copied, m.until = true, w.Clock.Now().Add(time.Minute)
	note(&w.copied, m.ID, true)
	d := time.Duration(w.Choices.IntN(w.How(fault.Copied), 1000)) * time.Millisecond
	d *= [...]time.Duration{0, 1, 1, 20}[w.Choices.IntN(w.How(fault.Copied), 4)]
	w.Clock.AfterFunc(d, func() {
		w.meanwhile(m.ID)
		w.copies = append(w.copies, m)
	})
}

// delivered wraps a message that was received from the queue.
func (q *Queue) delivered(m queue.Message) Delivered {
	source := platform.SourceOrchestrator
	switch {
	case q == q.w.Delay:
		source = platform.SourceDelay
	case q == q.w.ActivityDead:
		source = platform.SourceActivityDead
	case q.isActivities():
		source = platform.SourceActivity
	}
	return Delivered{Delivery: platform.Delivery{Message: m, Source: source}, From: q}
}

// ActedOn reports whether a call with an expired receipt hid a message, or made it visible,
// for the process that had it then.
func (w *World) ActedOn(id string) bool { return w.actedOn[id] }

// WasCopied reports whether a message was delivered to two processes at once.
func (w *World) WasCopied(id string) bool { return w.copied[id] }
