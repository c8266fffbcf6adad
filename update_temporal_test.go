package turnstile_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// What Temporal's features suite and the tests of its Go SDK say about updates, in our words. The table
// in docs/guide/from-temporal.md has the result of each.
func TestTemporalsUpdates(t *testing.T) {
	t.Parallel()
	hall := turnstile.NewOrchestration[int, []string]("Hall")
	book := turnstile.NewUpdate[string, int]("book")
	doors := turnstile.NewEvent[string]("doors")
	check := turnstile.NewActivity[string, string]("Check")
	validated := 0
	// Seats are booked by name. "slow" waits an hour, "check" runs an activity, "panic" panics until it
	// is mended. The hall closes when its doors do.
	code := func(mended bool) *turnstile.App {
		return turnstile.NewApp(book, doors,
			check.Implement(func(_ context.Context, name string) (string, error) { return "checked " + name, nil }),
			hall.Implement(func(ctx turnstile.Context, seats int) ([]string, error) {
				var taken []string
				book.Handle(ctx, func(name string) error {
					if validated++; len(taken) >= seats {
						return errors.New("sold out")
					}
					if name == "panic in the validator" && !mended {
						panic(name)
					}
					return nil
				}, func(ctx turnstile.Context, name string) (int, error) {
					switch name {
					case "slow":
						if err := turnstile.Sleep(ctx, time.Hour); err != nil {
							return 0, err
						}
					case "check":
						checked, err := check.Call(ctx, name)
						if err != nil {
							return 0, err
						}
						name = checked
					case "panic":
						if !mended {
							panic(name)
						}
					case "fail":
						return 0, errors.New("no such guest")
					}
					taken = append(taken, name)
					return len(taken), nil
				})
				how, err := doors.Wait(ctx)
				if err == nil && how == "wait" {
					err = turnstile.AllHandlersFinished(ctx)
				}
				return taken, err
			}))
	}
	open := func(t *testing.T, options ...turnstiletest.Option) (*turnstiletest.Env, *turnstiletest.Run[[]string]) {
		env := turnstiletest.New(t, code(false), options...)
		run := turnstiletest.Start(env, hall, 3, client.WithInstanceID("h"))
		env.Run()
		return env, run
	}
	send := func(t *testing.T, env *turnstiletest.Env, name string, options ...client.UpdateOption) *client.UpdateHandle[int] {
		t.Helper()
		h, err := client.StartUpdate(t.Context(), env.Client(), book, "h", name, options...)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	t.Run("asynchronous: the handle waits for the result", func(t *testing.T) {
		env, _ := open(t)
		h := send(t, env, "slow")
		env.Advance(time.Minute)
		if err := h.WaitAccepted(t.Context()); err != nil {
			t.Error(err)
		}
		if s, err := h.Status(t.Context()); err != nil || s.Stage != client.UpdateAccepted {
			t.Errorf("%+v, %v", s, err)
		}
		env.Advance(time.Hour)
		if got, err := h.Wait(t.Context()); got != 1 || err != nil {
			t.Error(got, err)
		}
	})
	t.Run("a wait that times out leaves the update", func(t *testing.T) {
		env, _ := open(t)
		h := send(t, env, "slow")
		env.Advance(time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := h.Wait(ctx)
		if waited, ok := errors.AsType[*client.UpdateWaitError](err); !ok || !errors.Is(err, context.Canceled) {
			t.Error(waited, err)
		}
		env.Advance(time.Hour)
		if got, err := h.Wait(t.Context()); got != 1 || err != nil {
			t.Error(got, err)
		}
	})
	t.Run("an activity in a handler", func(t *testing.T) {
		env, run := open(t)
		if got, err := turnstiletest.Update(env, book, "h", "check"); got != 1 || err != nil {
			t.Error(got, err)
		}
		turnstiletest.Raise(env, doors, "h", "close")
		if taken, err := run.Wait(); !slices.Equal(taken, []string{"checked check"}) || err != nil {
			t.Error(taken, err)
		}
	})
	t.Run("an error of the handler is the answer", func(t *testing.T) {
		env, _ := open(t)
		_, err := turnstiletest.Update(env, book, "h", "fail")
		if failed, ok := errors.AsType[*client.UpdateError](err); !ok || failed.Failure.Message != "no such guest" {
			t.Error(err)
		}
	})
	t.Run("the same id is one update", func(t *testing.T) {
		env, run := open(t)
		a, b := send(t, env, "Ada", client.WithDeduplicationID("1")), send(t, env, "Ada", client.WithDeduplicationID("1"))
		env.Run()
		for _, h := range []*client.UpdateHandle[int]{a, b} {
			if got, err := h.Wait(t.Context()); got != 1 || err != nil {
				t.Error(got, err)
			}
		}
		turnstiletest.Raise(env, doors, "h", "close")
		if taken, err := run.Wait(); len(taken) != 1 || err != nil {
			t.Error(taken, err)
		}
	})
	t.Run("a panic keeps the update", func(t *testing.T) {
		for _, name := range []string{"panic", "panic in the validator"} {
			env, _ := open(t, turnstiletest.AllowStuck())
			h := send(t, env, name)
			env.Advance(time.Second)
			if d, err := env.Client().Describe(t.Context(), "h"); err != nil || d.Status != client.StatusStuck {
				t.Errorf("%s: %s, %v", name, d.Status, err)
			}
			env.Deploy(code(true))
			env.Advance(time.Hour)
			if got, err := h.Wait(t.Context()); got != 1 || err != nil {
				t.Errorf("%s: %d, %v", name, got, err)
			}
		}
	})
	t.Run("a replay does not validate again", func(t *testing.T) {
		env, _ := open(t) // Each turn is replayed.
		before := validated
		for _, name := range []string{"a", "b", "c", "d"} {
			_, _ = turnstiletest.Update(env, book, "h", name)
		}
		if validated != before+4 {
			t.Errorf("validated %d times, want 4", validated-before)
		}
		if _, err := turnstiletest.Update(env, book, "h", "e"); err == nil || !errors.As(err, new(*client.UpdateRejectedError)) {
			t.Error(err)
		}
	})
	t.Run("another process continues a handler", func(t *testing.T) {
		env, _ := open(t)
		h := send(t, env, "slow")
		env.Advance(time.Minute)
		env.Deploy(code(true))
		env.Advance(time.Hour)
		if got, err := h.Wait(t.Context()); got != 1 || err != nil {
			t.Error(got, err)
		}
	})
	t.Run("the end waits for handlers if the code says so", func(t *testing.T) {
		for how, want := range map[string]int{"close": 0, "wait": 1} {
			env, run := open(t)
			send(t, env, "slow")
			env.Advance(time.Minute)
			turnstiletest.Raise(env, doors, "h", how)
			if taken, err := run.Wait(); len(taken) != want || err != nil {
				t.Errorf("%s: %q, %v", how, taken, err)
			}
		}
	})
	t.Run("a cancel reaches a handler", func(t *testing.T) {
		env, run := open(t)
		h := send(t, env, "slow")
		env.Advance(time.Minute)
		run.Cancel("enough")
		env.Run()
		if _, err := h.Wait(t.Context()); !errors.Is(err, turnstile.ErrCancelled) && !errors.As(err, new(*client.UpdateError)) {
			t.Error(err)
		}
	})
	t.Run("handlers run in the order of the requests", func(t *testing.T) {
		env, run := open(t)
		for _, name := range []string{"Ada", "Bob", "Cy"} {
			send(t, env, name)
		}
		turnstiletest.Raise(env, doors, "h", "wait")
		if taken, err := run.Wait(); !slices.Equal(taken, []string{"Ada", "Bob", "Cy"}) || err != nil {
			t.Error(taken, err)
		}
	})
}
