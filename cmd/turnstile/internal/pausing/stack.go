package pausing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/names"
)

// On and Off are the final states of event sources.
const (
	On  = "Enabled"
	Off = "Disabled"
)

// retention is the time for which a queue keeps a message.
const retention = 14 * 24 * time.Hour

// Stack turns the event sources of a stack off and on.
type Stack interface {
	// Sources returns the event sources.
	Sources(ctx context.Context) ([]api.EventSource, error)
	// Source returns an event source with its current state.
	Source(ctx context.Context, id string) (api.EventSource, error)
	Enable(ctx context.Context, id string, on bool) error
	// Queue returns the depth of a queue, and [ErrNoQueue] if the stack does not have it.
	Queue(ctx context.Context, name string) (api.Queue, error)
}

// ErrNoQueue reports that a stack does not have a queue.
var ErrNoQueue = errors.New("the stack has no queue")

// NoSources returns the error for a target without event sources.
func NoSources(what string) error {
	return fmt.Errorf("%s has no event sources: stop it to pause it, and start it to continue", what)
}

// Queues returns the queues whose event sources are off.
func Queues(sources []api.EventSource) []api.PausedQueue {
	var out []api.PausedQueue
	for _, s := range sources {
		if s.State == Off {
			out = append(out, api.PausedQueue{Name: s.Queue, Queue: activityQueue(s.Queue), At: s.ChangedAt})
		}
	}
	return out
}

// activityQueue returns the name for --queue of an activity queue; empty for other queues.
func activityQueue(shown string) string {
	if shown == deadletter.Activity {
		return names.DefaultQueue
	}
	name, is := strings.CutPrefix(shown, deadletter.Activity+":")
	if !is {
		return ""
	}
	return name
}

// StateOf returns the state of a stack from its event sources.
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
		// The pause started when the first event source was turned off.
		for _, source := range sources {
			if until := source.ChangedAt.Add(retention).UTC(); !source.ChangedAt.IsZero() && until.Before(s.KeptUntil) {
				s.KeptUntil = until
			}
		}
	}
	return s
}
