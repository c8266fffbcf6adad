package orchestrator

import (
	"context"
	"strings"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// sends counts the requests of a process to the timer service and the delay queue for later
// delivery of messages about a pending activity.
type sends struct{ schedules, delayed int }

// counting counts the requests of the current process.
func (w *world) counting() *sends {
	s := &sends{}
	w.change(func(cfg *Config) {
		cfg.Services.Timer = countedTimer{cfg.Services.Timer, s}
		cfg.Services.Queues.Delay = countedQueue{cfg.Services.Queues.Delay, s}
	})
	return s
}

type countedTimer struct {
	timer.Timer
	*sends
}

func (c countedTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	if strings.Contains(s.Body, string(wire.ActivityPending)) {
		c.schedules++
	}
	return c.Timer.Schedule(ctx, s)
}

// pastTimer is a timer service whose clock is later than any requested time.
type pastTimer struct{ countedTimer }

func (p pastTimer) Schedule(context.Context, timer.Schedule) error {
	p.schedules++
	return timer.ErrPast
}

type countedQueue struct {
	queue.Queue
	*sends
}

func (c countedQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	for _, m := range msgs {
		if strings.Contains(m.Body, string(wire.ActivityPending)) {
			c.delayed++
		}
	}
	return c.Queue.Send(ctx, msgs...)
}
