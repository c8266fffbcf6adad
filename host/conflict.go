package host

import (
	"context"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// forward sends what came from a standard queue and lost its commit on through
// the FIFO queue, where it meets no other turn of its instance: a hundred such
// at once don't livelock. What can't be sent stays unsettled. committed says
// that a commit was made before another was lost: the fact of the message may
// stand in it, and what follows from it was not done.
func (o *Orchestrator) forward(ctx context.Context, g *group, committed bool) {
	for _, m := range g.open() {
		if m.Source == SourceOrchestrator {
			continue
		}
		mark := redriveMark(m)
		if committed {
			mark = hopMark()
		}
		if mark == nil {
			mark = map[string]string{copyAttribute: m.ID}
		}
		body, err := o.edge.again(&m.item)
		if err == nil {
			err = o.Queues.Orchestrator.Send(ctx, queue.Outgoing{
				Body: body, Group: wire.Group(g.instance), Attributes: mark,
				DedupID: wire.HopDedupID(wire.DedupID(&m.item), m.ID),
			})
		}
		if err != nil {
			o.Logger.WarnContext(ctx, "message not forwarded", "message_id", m.ID, "instance", g.instance, "error", err)
			continue
		}
		o.Observer.Count(CountForwarded, "conflict", 1)
		m.state = settled
	}
}

// redriveMark keeps, over a hop, that a message may have been handled before:
// the next message counts its receives from 1 again.
func redriveMark(m *message) map[string]string {
	if !m.returning() {
		return nil
	}
	return hopMark()
}

func hopMark() map[string]string { return map[string]string{RedriveAttribute: "hop"} }
