package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/fault"
	"github.com/turnstile-go/turnstile/wire"
)

// SendAs sends without a call of a process: what clients and services send.
func (w *World) SendAs(who string, to *Queue, m queue.Outgoing) {
	if w.Tracing {
		w.Log("%s sends to %s %s%s", who, to.Name, BodyText(m.Body), delayText(m.Delay))
	}
	w.IsOthers(m.Body)
	if err := to.Queue.Send(context.Background(), m); err != nil {
		w.Violate("world", "a message was refused: %v", err)
	}
}

// SendItem sends an item as a client does.
func (w *World) SendItem(item wire.Item) {
	item.V = wire.Version
	w.says(&item)
	body, err := w.body(&item)
	if err != nil {
		w.Violate("world", "an item can't be encoded: %v", err)
		return
	}
	if w.Choices.OneIn(w.Choices.At(w.Choices.At(choice.OfClient, "way"), item.Target()), 5) && item.Kind != wire.StartOrchestration {
		w.SendAs("a client", w.Delay, queue.Outgoing{Body: string(body)})
		return
	}
	out := queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)}
	if w.hit(fault.ClientFails) {
		// The call fails for its client, whether or not it took effect: it is made again.
		how := w.How(fault.ClientFails)
		if w.Choices.Even(how) {
			w.SendAs("a client whose call fails", w.FIFO, out)
		}
		d := time.Duration(1+w.Choices.IntN(how, 1000)) * time.Millisecond * [...]time.Duration{1, 10, 600}[w.Choices.IntN(how, 3)]
		w.Clock.AfterFunc(d, func() { w.SendAs("a client, again", w.FIFO, out) })
		return
	}
	w.SendAs("a client", w.FIFO, out)
}
