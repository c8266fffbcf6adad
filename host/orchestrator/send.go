package orchestrator

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// newSender returns what sends outboxes.
func newSender(cfg *Config, o *Orchestrator) *dispatch.Sender {
	return &dispatch.Sender{
		Queues: cfg.Queues,
		Stops:  cfg.Stops, Timer: cfg.Timer, Clock: cfg.Clock, Random: o.random, Together: cfg.Together, Logger: cfg.Logger,
		Limits:  dispatch.Limits{Parallel: cfg.Settings.DispatchParallelism, Least: cfg.Settings.DispatchTime, Retention: cfg.Settings.StopRetention},
		Refused: func(reason string) { cfg.Observer.Count(host.CountDeadLettered, reason, 1) },
	}
}

func (o *Orchestrator) newOutbox() *dispatch.Outbox {
	return &dispatch.Outbox{Now: o.Clock.Now(), Composer: dispatch.Composer{
		Edge: o.edge, Keys: o.Keys, Border: o.Settings.TimerBorder, Least: o.Settings.TimerLeast, Scheduled: o.Timer != nil, Propagate: o.Propagator}}
}

// flush sends everything of an outbox that is not done. An error says that some of
// it may not have been sent; the messages of the turn then come back, and what is
// not done is sent again.
func (o *Orchestrator) flush(ctx context.Context, out *dispatch.Outbox) error {
	began := o.Clock.Now()
	err := o.sender.Send(ctx, out)
	o.Observer.Timing(host.TimeDispatch, o.Clock.Now().Sub(began))
	return err
}

// sendRound sends an item round through the delay queue.
func (o *Orchestrator) sendRound(ctx context.Context, item *wire.Item, due time.Time, attributes ...map[string]string) error {
	round := *item
	round.Hops++
	body, err := o.edge.Again(&round)
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	out := queue.Outgoing{Body: body, Delay: edge.QueueDelay(due.Sub(o.Clock.Now()))}
	for _, a := range attributes {
		out.Attributes = a
	}
	if err := o.Queues.Delay.Send(ctx, out); err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	return nil
}
