package world

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// finished handles the messages of a batch after its invocation, as the event source does.
func (w *World) finished(inv *Invocation) {
	p := inv.P
	if p.Dead {
		exhausted := w.hit(fault.Exhausted)
		for _, m := range inv.Batch {
			w.ghostReturns(m)
			if exhausted {
				w.exhaust(m)
			}
		}
		w.bury(p)
		return
	}
	if inv.failed == nil {
		w.Violate("M-10", "%s returned a list of failures that is nil", p.Name)
	}
	var failed map[string]bool
	for _, id := range inv.failed {
		note(&failed, id, true)
	}
	w.Watch.Returned(inv, failed)
	p.Idle = w.Clock.Now()
	if w.Tracing {
		w.Log("%s returns, handed back %v", p.Name, inv.failed)
	}
	for _, m := range inv.Batch {
		switch {
		case failed[m.ID]:
			w.ghostReturns(m)
		case m.Ghost:
		case w.losesWord(m), w.hit(fault.AckLost):
			w.Log("the acknowledgement of %s is lost", m.ID)
		default:
			_ = w.acknowledge(inv, m)
		}
	}
	if p.Code != w.Build && w.Clock.Now().After(w.replaceAt) || w.isOutdated(p) {
		w.bury(p)
	}
}

// exhaust makes a message a dead letter, as its queue does after too many receives.
func (w *World) exhaust(m Delivered) {
	if m.Ghost || !w.mayExhaust(m) || m.From.Queue.Delete(context.Background(), m.Message) != nil {
		return
	}
	w.sendDead(m)
}

// mayExhaust reports whether a message has the same effect if it is a dead letter first and is redriven
// later.
func (w *World) mayExhaust(m Delivered) bool {
	// By then the parent's cancel may have been dropped, or the history deleted.
	item, err := w.Item(m.Body)
	return err == nil && (item.Kind != wire.StartOrchestration || item.Parent == nil || w.has(deadLetters)) && item.Kind != wire.PurgeInstance
}

// sendDead moves a message to the dead-letter queue of its queue.
func (w *World) sendDead(m Delivered) {
	var dead *Queue
	switch m.From {
	case w.FIFO:
		dead = w.DeadFIFO
	case w.Delay, w.ActivityDead:
		dead = w.DeadStandard
	default:
		dead = w.ActivityDead
	}
	w.IsOthers(m.Body)
	if item, err := w.Item(m.Body); err == nil && item.Kind == wire.StartOrchestration {
		note(&w.overtaken, item.ID, true)
	}
	w.Log("the queue gives up %s, which is in %s now", BodyText(m.Body), dead.Name)
	if age := w.Clock.Now().Sub(m.SentAt); dead.Queue.Inherit(m.Message) && !dead.FIFO() && age > 24*time.Hour {
		w.Reached("an old dead letter")
	}
}

// acknowledge deletes a message. It returns queue.ErrReceiptExpired, without deleting the message, if its
// receipt has expired.
func (w *World) acknowledge(inv *Invocation, m Delivered) error {
	err := m.From.Queue.Delete(context.Background(), m.Message)
	if errors.Is(err, queue.ErrReceiptExpired) {
		deleted := false
		m.From.takesOld(err, m.Message, func(now queue.Message) { deleted = m.From.Queue.Delete(context.Background(), now) == nil })
		if !deleted {
			return err
		}
	}
	w.Watch.Acknowledged(inv, m)
	if !m.From.FIFO() && !w.calm {
		w.ghosts = append(w.ghosts, m)
		if len(w.ghosts) > 10 {
			w.ghosts = w.ghosts[1:]
		}
	}
	return nil
}

// mostReceives is the number of receives after which a ghost becomes a dead letter.
const mostReceives = 10

// ghostReturns makes a ghost that was not acknowledged visible again after the visibility timeout,
// like any other message: its first delivery may have started something that needs the message.
func (w *World) ghostReturns(m Delivered) {
	switch {
	case !m.Ghost:
	case m.ReceiveCount >= mostReceives && w.mayExhaust(m):
		w.sendDead(m)
	default:
		w.Clock.AfterFunc(2*time.Minute, func() { w.returning = append(w.returning, m) })
	}
}
