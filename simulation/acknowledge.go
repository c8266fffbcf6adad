package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// finished does with the messages of a batch what the event source does.
func (w *World) finished(inv *invocation) {
	p := inv.p
	if p.dead {
		exhausted := w.hit(Exhausted)
		for _, m := range inv.batch {
			w.ghostReturns(m)
			if exhausted {
				w.exhaust(m)
			}
		}
		w.bury(p)
		return
	}
	if inv.failed == nil {
		w.violate("M-10", "%s returned a list of failures that is nil", p.name)
	}
	var failed map[string]bool
	for _, id := range inv.failed {
		note(&failed, id, true)
	}
	w.watch.returned(inv, failed)
	p.idle = w.clock.Now()
	if w.tracing {
		w.log("%s returns, handed back %v", p.name, inv.failed)
	}
	for _, m := range inv.batch {
		switch {
		case failed[m.ID]:
			w.ghostReturns(m)
		case m.ghost:
		case w.hit(AckLost):
			w.log("the acknowledgement of %s is lost", m.ID)
		default:
			w.acknowledge(inv, m)
		}
	}
	if p.code != w.build && w.clock.Now().After(w.replaceAt) {
		w.bury(p)
	}
}

// exhaust makes a dead letter of a message, as its queue does when it has been
// received too often.
func (w *World) exhaust(m delivered) {
	if m.ghost || !w.mayExhaust(m) || m.from.Queue.Delete(context.Background(), m.Message) != nil {
		return
	}
	w.sendDead(m)
}

// mayExhaust reports whether a message is as good when it is redriven.
func (w *World) mayExhaust(m delivered) bool {
	// The parent's cancel may have been given up by then, or the history deleted.
	item, err := w.item(m.Body)
	return err == nil && (item.Kind != wire.StartOrchestration || item.Parent == nil) && item.Kind != wire.PurgeInstance
}

// sendDead has a message in the dead-letter queue of the queue it was in.
func (w *World) sendDead(m delivered) {
	var dead *simQueue
	switch m.from {
	case w.fifo:
		dead = w.deadFIFO
	case w.delay, w.activityDead:
		dead = w.deadStandard
	default:
		dead = w.activityDead
	}
	out := queue.Outgoing{Body: m.Body, Group: m.Group, Attributes: m.Attributes}
	if dead.FIFO() {
		out.DedupID = fmt.Sprintf("exhausted-%s-%d", m.ID, w.Steps)
	}
	w.isOthers(out.Body)
	w.log("the queue gives up %s, which is in %s now", bodyText(out.Body), dead.name)
	if err := dead.Queue.SendFrom(context.Background(), m.Sender, out); err != nil {
		w.violate("world", "a dead letter was refused: %v", err)
	}
}

func (w *World) acknowledge(inv *invocation, m delivered) {
	err := m.from.Queue.Delete(context.Background(), m.Message)
	if errors.Is(err, queue.ErrReceiptExpired) {
		return
	}
	w.watch.acknowledged(inv, m)
	if !m.from.FIFO() && !w.calm {
		w.ghosts = append(w.ghosts, m)
		if len(w.ghosts) > 10 {
			w.ghosts = w.ghosts[1:]
		}
	}
}

// mostReceives is how often a ghost is received before it is a dead letter.
const mostReceives = 10

// ghostReturns brings a ghost that was not acknowledged back after the
// visibility timeout, as any other message: what was begun about it may need it.
func (w *World) ghostReturns(m delivered) {
	switch {
	case !m.ghost:
	case m.ReceiveCount >= mostReceives && w.mayExhaust(m):
		w.sendDead(m)
	default:
		w.clock.AfterFunc(2*time.Minute, func() { w.returning = append(w.returning, m) })
	}
}
