package backend

import (
	"context"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/pausing"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/names"
)

// servedStack is a program that serves its console and can pause its activity queues.
type servedStack struct{ console *remote.Client }

// ServedStack returns the stack of a program that serves its console. It returns an error that names
// what if the program cannot pause queues.
func ServedStack(ctx context.Context, console *remote.Client, what string) (pausing.Stack, error) {
	about, err := console.About(ctx)
	if err != nil {
		return nil, err
	}
	if !about.Capabilities.QueuePause {
		return nil, pausing.NoSources(what)
	}
	return servedStack{console}, nil
}

// Sources implements [pausing.Stack]. An id is the name of a queue.
func (s servedStack) Sources(ctx context.Context) ([]api.EventSource, error) {
	queues, err := s.console.Queues(ctx)
	var all []api.EventSource
	for _, q := range queues {
		name, named := strings.CutPrefix(q.Name, deadletter.Activity+":")
		switch {
		case q.Name == deadletter.Activity:
			name = names.DefaultQueue
		case !named:
			continue
		}
		source := api.EventSource{ID: name, Queue: q.Name, State: pausing.On}
		if q.Pause != nil {
			source.ChangedAt = q.Pause.At
			if q.Pause.Paused {
				source.State = pausing.Off
			}
		}
		all = append(all, source)
	}
	return all, err
}

// Source implements [pausing.Stack].
func (s servedStack) Source(ctx context.Context, id string) (api.EventSource, error) {
	all, err := s.Sources(ctx)
	for _, source := range all {
		if source.ID == id {
			return source, err
		}
	}
	if err == nil {
		err = fmt.Errorf("%w %q", pausing.ErrNoQueue, id)
	}
	return api.EventSource{}, err
}

// Enable implements [pausing.Stack].
func (s servedStack) Enable(ctx context.Context, id string, on bool) error {
	return s.console.PauseQueue(ctx, id, !on)
}

// Queue implements [pausing.Stack].
func (s servedStack) Queue(ctx context.Context, name string) (api.Queue, error) {
	queues, err := s.console.Queues(ctx)
	for _, q := range queues {
		if q.Name == name {
			return q, err
		}
	}
	if err == nil {
		err = fmt.Errorf("%w %q", pausing.ErrNoQueue, name)
	}
	return api.Queue{}, err
}
