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
		mark := hopAttributes(m)
		if committed {
			mark = handledMark()
		}
		o.forwardOne(ctx, m, mark, "conflict")
	}
}

func (o *Orchestrator) forwardOne(ctx context.Context, m *message, mark map[string]string, why string) {
	target := m.item.Target()
	body, err := o.edge.again(&m.item)
	if err == nil {
		err = o.Queues.Orchestrator.Send(ctx, queue.Outgoing{
			Body: body, Group: wire.Group(target), Attributes: mark,
			DedupID: wire.HopDedupID(wire.DedupID(&m.item), m.ID),
		})
	}
	if err != nil {
		o.Logger.WarnContext(ctx, "message not forwarded", "message_id", m.ID, "instance", target, "error", err)
		return
	}
	o.Observer.Count(CountForwarded, why, 1)
	m.state = settled
}

// hopAttributes keep, over a hop, that a message may have been handled before, for
// the next message counts its receives from 1 again; or by which id copies of it
// are known.
func hopAttributes(m *message) map[string]string {
	switch {
	case m.returning():
		return handledMark()
	case m.mayBeCopied():
		return map[string]string{copyAttribute: m.copyID()}
	}
	return nil
}

func handledMark() map[string]string { return map[string]string{RedriveAttribute: hopMark} }

// hopMark is the RedriveAttribute of a message that was not redriven, and only
// went round.
const hopMark = "hop"
