package pausing

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// On and Off are the states of event sources that do not change.
const (
	On  = "Enabled"
	Off = "Disabled"
)

// retention is how long a queue keeps a message.
const retention = 14 * 24 * time.Hour

// Stack turns the event sources of a stack off and on.
type Stack interface {
	// Sources are the queues for which functions run.
	Sources(ctx context.Context) ([]api.EventSource, error)
	// Source is how one of them stands.
	Source(ctx context.Context, id string) (api.EventSource, error)
	Enable(ctx context.Context, id string, on bool) error
	// Queue says how full a queue is.
	Queue(ctx context.Context, name string) (api.Queue, error)
}

// StateOf is the state of a stack by its event sources.
func StateOf(sources []api.EventSource, now time.Time) api.Stack {
	s := api.Stack{Sources: sources, State: "partly"}
	on, off := 0, 0
	for _, source := range sources {
		switch source.State {
		case On:
			on++
		case Off:
			off++
		default:
			s.State = "changing"
		}
	}
	switch {
	case on == len(sources):
		s.State = "running"
	case off == len(sources):
		s.State, s.KeptUntil = "paused", now.Add(retention).UTC().Truncate(time.Millisecond)
		// It was paused when the first of them was.
		for _, source := range sources {
			if until := source.ChangedAt.Add(retention).UTC(); !source.ChangedAt.IsZero() && until.Before(s.KeptUntil) {
				s.KeptUntil = until
			}
		}
	}
	return s
}
