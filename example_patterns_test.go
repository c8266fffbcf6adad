package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// An activity is repeated until its result is sufficient.
func ExamplePoll() {
	status := turnstile.NewActivity[string, string]("JobStatus")
	wait := turnstile.NewOrchestration[string, string]("WaitForJob")
	answers := []string{"queued", "running", "running", "done"}
	show(wait, "job-7", nil,
		status.Implement(func(context.Context, string) (string, error) {
			answer := answers[0]
			answers = answers[1:]
			return answer, nil
		}),
		wait.Implement(func(ctx turnstile.Context, job string) (string, error) {
			return turnstile.Poll(ctx, status.Call, job, func(s string) bool { return s == "done" },
				turnstile.PollPolicy{InitialInterval: time.Second, MaxInterval: time.Minute})
		}))
	// Output: completed: done
}

// When a step fails, the completed steps are undone in reverse order.
func ExampleSaga() {
	book := turnstile.NewActivity[string, string]("Book")
	cancel := turnstile.NewActivity[string, turnstile.None]("CancelBooking")
	trip := turnstile.NewOrchestration[[]string, string]("Trip")
	show(trip, []string{"room", "car", "balloon"}, nil,
		book.Implement(func(_ context.Context, what string) (string, error) {
			if what == "balloon" {
				return "", errors.New("too windy")
			}
			fmt.Println("booked the", what)
			return what, nil
		}),
		cancel.Implement(func(_ context.Context, what string) (turnstile.None, error) {
			fmt.Println("cancelled the", what)
			return turnstile.None{}, nil
		}),
		trip.Implement(func(ctx turnstile.Context, things []string) (string, error) {
			var saga turnstile.Saga
			for _, thing := range things {
				booking, err := book.Call(ctx, thing)
				if err != nil {
					return "", saga.Compensate(ctx, err)
				}
				turnstile.Undo(&saga, thing, cancel.Call, booking)
			}
			return "all booked", nil
		}))
	// Output:
	// booked the room
	// booked the car
	// cancelled the car
	// cancelled the room
	// failed: orchestration "Trip" (instance "example") failed: activity "Book" failed: too windy
}

// Branches whose steps must not interleave use a lock.
func ExampleMutex() {
	read := turnstile.NewActivity[string, int]("Read")
	write := turnstile.NewActivity[int, int]("Write")
	count := turnstile.NewOrchestration[int, int]("Count")
	counter := 0
	show(count, 5, nil,
		read.Implement(func(context.Context, string) (int, error) { return counter, nil }),
		write.Implement(func(_ context.Context, n int) (int, error) { counter = n; return n, nil }),
		count.Implement(func(ctx turnstile.Context, times int) (int, error) {
			var mu turnstile.Mutex
			err := turnstile.ForEach(ctx, make([]bool, times), times, func(ctx turnstile.Context, _ bool) error {
				if err := mu.Lock(ctx); err != nil {
					return err
				}
				defer mu.Unlock()
				n, err := read.Call(ctx, "counter")
				if err != nil {
					return err
				}
				_, err = write.Call(ctx, n+1)
				return err
			})
			if err != nil {
				return 0, err
			}
			return read.Call(ctx, "counter")
		}))
	// Output: completed: 5
}

// Large and small jobs share a limited resource.
func ExampleSemaphore() {
	encode := turnstile.NewActivity[int, int]("Encode")
	studio := turnstile.NewOrchestration[[]int, string]("Studio")
	show(studio, []int{3, 1, 1, 2}, nil,
		encode.Implement(func(_ context.Context, cores int) (int, error) { return cores, nil }),
		studio.Implement(func(ctx turnstile.Context, films []int) (string, error) {
			cores := turnstile.NewSemaphore(4)
			err := turnstile.ForEach(ctx, films, len(films), func(ctx turnstile.Context, need int) error {
				if err := cores.Acquire(ctx, need); err != nil {
					return err
				}
				defer cores.Release(need)
				_, err := encode.Call(ctx, need)
				return err
			})
			return fmt.Sprint(len(films), " films"), err
		}))
	// Output: completed: 4 films
}

// Code is changed in place while instances run: instances that went past this point before the
// change keep the old branch.
func ExamplePatched() {
	charge := turnstile.NewActivity[int, string]("Charge")
	check := turnstile.NewActivity[int, bool]("CheckFraud")
	buy := turnstile.NewOrchestration[int, string]("Buy")
	show(buy, 3900, nil,
		charge.Implement(func(context.Context, int) (string, error) { return "receipt", nil }),
		check.Implement(func(_ context.Context, cents int) (bool, error) { return cents < 100000, nil }),
		buy.Implement(func(ctx turnstile.Context, cents int) (string, error) {
			if turnstile.Patched(ctx, "check-fraud") {
				if fine, err := check.Call(ctx, cents); err != nil || !fine {
					return "refused", err
				}
			}
			return charge.Call(ctx, cents)
		}))
	// Output: completed: receipt
}

// Process events as they arrive, and keep the history short.
func ExampleEvent_All() {
	ordered := turnstile.NewEvent[int]("ordered")
	till := turnstile.NewOrchestration[int, int]("Till")
	show(till, 0, func(c *client.Client, run *client.Run[int]) error {
		for _, cents := range []int{300, 450, 0} {
			if err := client.Raise(context.Background(), c, ordered, run.Instance, cents); err != nil {
				return err
			}
		}
		return nil
	},
		till.Implement(func(ctx turnstile.Context, total int) (int, error) {
			for cents, err := range ordered.All(ctx) {
				switch {
				case err != nil:
					return 0, err
				case cents == 0: // closing time
					return total, nil
				}
				total += cents
				if turnstile.Info(ctx).ContinueAsNewSuggested {
					return 0, till.ContinueAsNew(ctx, total)
				}
			}
			return total, nil
		}))
	// Output: completed: 750
}

// Take the events that have already arrived, without waiting for more.
func ExampleEvent_TryWait() {
	note := turnstile.NewEvent[string]("note")
	day := turnstile.NewOrchestration[string, []string]("Day")
	show(day, "", func(c *client.Client, run *client.Run[[]string]) error {
		return client.Raise(context.Background(), c, note, run.Instance, "milk")
	},
		day.Implement(func(ctx turnstile.Context, _ string) ([]string, error) {
			if err := turnstile.Sleep(ctx, 24*time.Hour); err != nil {
				return nil, err
			}
			var notes []string
			for {
				text, came, err := note.TryWait(ctx)
				if err != nil || !came {
					return notes, err
				}
				notes = append(notes, text)
			}
		}))
	// Output: completed: [milk]
}

// One orchestration raises an event for another.
func ExampleEvent_RaiseTo() {
	done := turnstile.NewEvent[string]("done")
	worker := turnstile.NewOrchestration[string, string]("Worker")
	boss := turnstile.NewOrchestration[string, string]("Boss")
	show(boss, "dig", nil,
		worker.Implement(func(ctx turnstile.Context, reportTo string) (string, error) {
			return "", done.RaiseTo(ctx, reportTo, "a deep hole")
		}),
		boss.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			if _, err := worker.StartDetached(ctx, turnstile.Info(ctx).Instance); err != nil {
				return "", err
			}
			return done.Wait(ctx)
		}))
	// Output: completed: a deep hole
}

// The random numbers are the same on every replay.
func ExampleRandom() {
	draw := turnstile.NewOrchestration[[]string, int]("Draw")
	show(draw, []string{"Ada", "Grace", "Hedy"}, nil,
		draw.Implement(func(ctx turnstile.Context, names []string) (int, error) {
			r := turnstile.Random(ctx)
			r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			return len(names), nil
		}))
	// Output: completed: 3
}
