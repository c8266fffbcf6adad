package turnstile_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

// K-10: for any number of steps, any failing step, any time of a cancel, and any failing
// compensation, each completed step is undone once, in reverse order, and no other step is undone.
// The history shows it.
func TestPropertyK10CompensationRunsAsOftenAsWhatItUndoes(t *testing.T) {
	t.Parallel()
	do := turnstile.NewActivity[int, int]("Do")
	undo := turnstile.NewActivity[int, int]("Undo")
	trip := turnstile.NewOrchestration[int, int]("Trip")
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.IntRange(0, 6).Draw(rt, "steps")
		fails := rapid.IntRange(0, 8).Draw(rt, "the step that fails")
		stays := rapid.IntRange(0, 8).Draw(rt, "the step that cannot be undone")
		cancelled := rapid.IntRange(0, 12).Draw(rt, "hours until it is cancelled")
		e := arrange(t, nil,
			do.Implement(func(_ context.Context, n int) (int, error) {
				if n == fails {
					return 0, errors.New("no")
				}
				return n, nil
			}),
			undo.Implement(func(_ context.Context, n int) (int, error) {
				if n == stays {
					return 0, errors.New("it stays")
				}
				return n, nil
			}),
			trip.Implement(func(ctx turnstile.Context, steps int) (int, error) {
				var saga turnstile.Saga
				for n := range steps {
					if err := turnstile.Sleep(ctx, time.Hour); err != nil {
						return 0, saga.Compensate(ctx, err)
					}
					if _, err := do.Call(ctx, n); err != nil {
						return 0, saga.Compensate(ctx, err)
					}
					saga.Add("a step", func(ctx turnstile.Context) error {
						_, err := undo.Call(ctx, n)
						return err
					})
				}
				return steps, nil
			}))
		run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, trip, steps))
		e.AfterFunc(time.Duration(cancelled)*time.Hour+30*time.Minute, func() {
			if err := run.Cancel(e.ctx, "enough"); err != nil && !errors.As(err, new(*client.EndedError)) {
				t.Error(err)
			}
		})
		ctx, stop := context.WithCancel(e.ctx)
		ended := make(chan error, 1)
		go func() { ended <- e.Run(ctx) }()
		_, err := run.Wait(e.ctx)
		stop()
		if err := <-ended; err != nil {
			rt.Fatal(err)
		}
		want := wantedUndoing(min(steps, fails, cancelled))
		if err == nil {
			want = nil
		}
		got := undone(e.history(run.Instance))
		if !slices.Equal(got, want) || (err == nil) != (steps <= min(fails, cancelled)) {
			rt.Fatalf("undone were %v, want %v; it ended with %v", got, want, err)
		}
		if _, partly := errors.AsType[*client.OrchestrationError](err); err != nil && !partly {
			rt.Fatalf("it ended with %v", err)
		}
	})
}

// wantedUndoing returns the steps below n in reverse order.
func wantedUndoing(n int) []int {
	var steps []int
	for n--; n >= 0; n-- {
		steps = append(steps, n)
	}
	return steps
}

// undone returns the steps that the history shows as undone.
func undone(events []history.Event) []int {
	var steps []int
	for i := range events {
		if e := &events[i]; e.Kind == history.ActivityScheduled && e.Name == "Undo" {
			steps = append(steps, int(e.Payload[0]-'0'))
		}
	}
	return steps
}
