package pausing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
)

const (
	// sourceLook is the time between two reads of a changing event source.
	sourceLook = time.Second
	// sourcePatience is the time limit of a change, which takes seconds on AWS.
	sourcePatience = 5 * time.Minute
)

// Pausing pauses or unpauses event sources.
type Pausing struct {
	Stack Stack
	// Sources are the event sources with their states before the change.
	Sources []api.EventSource
	// Notes receives a line for each change.
	Notes *term.Screen
	// Sleep waits, and reports false if the context ended first.
	Sleep func(ctx context.Context, d time.Duration) bool
	Now   func() time.Time
}

// Pause turns the event sources off. It turns off those of activities after the running activities have
// finished, or after drain.
func (p *Pausing) Pause(ctx context.Context, drain time.Duration) error {
	for n := range steps {
		if n == len(steps)-1 {
			if err := p.drain(ctx, drain); err != nil {
				return err
			}
		}
		if err := p.turn(ctx, n, false); err != nil {
			return err
		}
	}
	return nil
}

// Unpause turns the event sources on.
func (p *Pausing) Unpause(ctx context.Context) error {
	for n := range steps {
		if err := p.turn(ctx, n, true); err != nil {
			return err
		}
	}
	return nil
}

// turn turns the event sources of a step off or on, and waits until they are.
func (p *Pausing) turn(ctx context.Context, n int, on bool) error {
	want, verb := Off, "paused"
	if on {
		want, verb = On, "on"
	}
	for _, s := range p.step(n) {
		if s.State == want {
			fmt.Fprintf(p.Notes, "%s already: %s (%s)\n", verb, s.Queue, steps[n].what)
			continue
		}
		if err := p.settled(ctx, &s, On, Off); err != nil {
			return err
		}
		if s.State != want {
			if err := p.Stack.Enable(ctx, s.ID, on); err != nil {
				return fmt.Errorf("event source %s (%s): %w", s.Queue, s.ID, err)
			}
			s.State = ""
			if err := p.settled(ctx, &s, want); err != nil {
				return err
			}
		}
		fmt.Fprintf(p.Notes, "%s: %s (%s)\n", verb, s.Queue, steps[n].what)
	}
	return nil
}

// settled waits until an event source is in one of the states.
func (p *Pausing) settled(ctx context.Context, s *api.EventSource, states ...string) error {
	for startedAt := p.Now(); !slices.Contains(states, s.State); {
		now, err := p.Stack.Source(ctx, s.ID)
		if err != nil {
			return fmt.Errorf("event source %s (%s): %w", s.Queue, s.ID, err)
		}
		if s.State = now.State; slices.Contains(states, s.State) {
			return nil
		}
		if p.Now().Sub(startedAt) > sourcePatience {
			return fmt.Errorf("event source %s (%s) has been %s for more than %s: check it in the Lambda console", s.Queue, s.ID, s.State, sourcePatience)
		}
		if !p.Sleep(ctx, sourceLook) {
			return ctx.Err()
		}
	}
	return nil
}

// drain waits until no turn runs, and no activity runs or waits in a queue.
func (p *Pausing) drain(ctx context.Context, longest time.Duration) error {
	sources := p.step(len(steps) - 1)
	if longest <= 0 || !slices.ContainsFunc(sources, func(s api.EventSource) bool { return s.State == On }) {
		return nil
	}
	bar := term.NewProgress(p.Notes, p.Now)
	defer bar.End()
	for startedAt := p.Now(); ; {
		turns, err := p.Stack.Queue(ctx, deadletter.Orchestrator)
		if err != nil {
			return err
		}
		var work api.Queue
		for _, s := range sources {
			one, err := p.Stack.Queue(ctx, s.Queue)
			if err != nil {
				return err
			}
			work.Visible, work.InFlight = work.Visible+one.Visible, work.InFlight+one.InFlight
		}
		left := turns.InFlight + work.Visible + work.InFlight
		if left == 0 {
			return nil
		}
		if p.Now().Sub(startedAt) >= longest {
			bar.Line(fmt.Sprintf("not drained after %s: %d in turns, %d activities running, %d waiting; running activities finish, waiting ones stay queued until unpause", longest, turns.InFlight, work.InFlight, work.Visible))
			return nil
		}
		bar.Show(fmt.Sprintf("draining: %d in turns, %d activities running, %d waiting", turns.InFlight, work.InFlight, work.Visible))
		if !p.Sleep(ctx, sourceLook) {
			return ctx.Err()
		}
	}
}
