package world

import (
	"context"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/simulation/choice"
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
	w.SendAs("a client", w.FIFO, queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(&item)})
}
