package pausing

import (
	"context"
	"errors"
	"fmt"
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
	// Queue says how full a queue is; an error that is [ErrNoQueue] if the stack does not have it.
	Queue(ctx context.Context, name string) (api.Queue, error)
}

// ErrNoQueue says that a stack does not have a queue.
var ErrNoQueue = errors.New("the stack has no queue")

// NoSources is the error of what is not a stack and has no event sources.
func NoSources(what string) error {
	return fmt.Errorf("%s has no event sources: end it to pause it, and start it to go on", what)
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
