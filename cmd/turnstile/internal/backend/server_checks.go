package backend

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Checks implements [Backend].
func (b server) Checks(now func() time.Time, own api.Build) []doctor.Check {
	return []doctor.Check{
		{Area: "access", Look: func(ctx context.Context) ([]api.Finding, error) {
			if b.err != nil {
				return nil, b.err
			}
			about, err := b.client().About(ctx)
			if err != nil {
				return nil, err
			}
			return doctor.About(&about, own, now()), nil
		}},
		{Area: "queues", Look: func(ctx context.Context) ([]api.Finding, error) {
			if b.err != nil {
				return nil, nil // The first check reports the error.
			}
			queues, err := b.client().Queues(ctx)
			if err != nil {
				return nil, err
			}
			var all []doctor.Queue
			for _, q := range queues {
				all = append(all, doctor.Queue{Name: q.Name, FIFO: q.FIFO, Dead: q.DeadLetters, Visible: q.Visible, InFlight: q.InFlight, Delayed: q.Delayed})
			}
			paused, err := b.client().PausedQueues(ctx)
			if err != nil {
				return nil, err
			}
			return append(doctor.Paused(paused), doctor.Backlog(all, false)...), nil
		}},
	}
}
