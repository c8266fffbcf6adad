package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
	queuememory "github.com/turnstile-go/turnstile/queue/memory"
	"github.com/turnstile-go/turnstile/wire"
)

// Who sends, as the service would say it.
const (
	activityRole     = "AROAACTIVITIES"
	orchestratorRole = "AROAORCHESTRATOR"
)

// sender is how the service names the process.
func (p *process) sender() string {
	if p.worker != nil {
		return activityRole + ":" + p.name
	}
	return orchestratorRole + ":" + p.name
}

// simQueue is a queue of the world.
type simQueue struct {
	*queuememory.Queue
	w    *World
	name string
}

// processQueue is a queue as a process sees it.
type processQueue struct {
	*simQueue
	p *process
}

// Send sends one message a call: a batch may stop between any two.
func (q processQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := queue.ValidateAll(q.FIFO(), msgs); err != nil {
		return err
	}
	for i := range msgs {
		if q.p.dead {
			return errKilled
		}
		m := msgs[i]
		q.p.showsBody(m.Body)
		q.p.shows(func() string { return "the reason of a dead letter" }, "", []byte(m.Attributes[wire.ReasonAttribute]))
		q.w.aboutToSend(q.p, m.Body)
		q.w.aboutToRetry(q.p, m.Body)
		q.w.aboutToHop(q.p, &m)
		if !q.FIFO() && q.w.hit(Disordered) {
			m.Delay = min(m.Delay+time.Duration(1+q.w.choices.IntN(q.w.how(Disordered), 4))*time.Second, queue.MaxDelay)
		}
		if q.w.hit(Resent) {
			q.w.clock.AfterFunc(time.Duration(q.w.choices.IntN(q.w.how(Resent), 20*60))*time.Second, func() { q.w.sendAs("a late repeat", q.simQueue, m) })
		}
		if err := q.p.call(queueClass, func() string { return "sends to " + q.name + " " + bodyText(m.Body) + delayText(m.Delay) }, func() error {
			if q.w.sabotage.loses != nil && q.w.sabotage.loses(q.name, &m) {
				return nil
			}
			q.w.sends(q.p, q.simQueue, &m)
			q.w.checkCorrupt(q.simQueue, &m)
			return q.Queue.SendFrom(ctx, q.p.sender(), m)
		}); err != nil {
			if q.w.hit(AnswerLost) {
				// Those behind it in the batch are in all the same.
				for _, rest := range msgs[i+1:] {
					q.w.sendAs(q.p.name, q.simQueue, rest)
				}
			}
			return err
		}
		q.w.answers(q.p, m.Body)
		q.p.running.hasSent(m.Body)
	}
	return nil
}

// hasSent notes the body of a message that is in its queue.
func (inv *invocation) hasSent(body string) {
	if slices.ContainsFunc(inv.batch, func(m delivered) bool { return m.Source == host.SourceDelay || m.Source == host.SourceActivityDead }) {
		inv.sent = append(inv.sent, body)
	}
}

func (q processQueue) SetVisibility(ctx context.Context, m queue.Message, d time.Duration) error {
	return q.p.call(queueClass, func() string { return fmt.Sprintf("lets %s come back after %s", m.ID, d) }, func() error {
		return q.Queue.SetVisibility(ctx, m, d)
	})
}

// Delete is the acknowledgement of a message that its process does not leave to
// the event source.
func (q processQueue) Delete(ctx context.Context, m queue.Message) error {
	inv := q.p.running
	return q.p.call(queueClass, func() string { return "deletes " + m.ID }, func() error {
		for _, d := range inv.batch {
			if d.ID == m.ID && d.from == q.simQueue && !d.ghost {
				q.w.acknowledge(inv, d)
				return nil
			}
		}
		return q.Queue.Delete(ctx, m)
	})
}
