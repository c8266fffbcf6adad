package simulation

import (
	"context"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/wire"
)

// sendAs sends without a call of a process: what clients and services send.
func (w *World) sendAs(who string, to *simQueue, m queue.Outgoing) {
	if w.tracing {
		w.log("%s sends to %s %s%s", who, to.name, bodyText(m.Body), delayText(m.Delay))
	}
	w.isOthers(m.Body)
	if err := to.Queue.Send(context.Background(), m); err != nil {
		w.violate("world", "a message was refused: %v", err)
	}
}

// sendItem sends an item as a client does.
func (w *World) sendItem(item wire.Item) {
	item.V = wire.Version
	w.says(&item)
	body, err := w.body(&item)
	if err != nil {
		w.violate("world", "an item can't be encoded: %v", err)
		return
	}
	if w.choices.OneIn(w.choices.At(w.choices.At(choice.OfClient, "way"), item.Target()), 5) && item.Kind != wire.StartOrchestration {
		w.sendAs("a client", w.delay, queue.Outgoing{Body: string(body)})
		return
	}
	w.sendAs("a client", w.fifo, queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)})
}
