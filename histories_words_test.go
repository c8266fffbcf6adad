package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// These orchestrations use the API calls that neither the random programs nor the sample
// applications use. Their histories are kept, so the behaviour of keptWords must never change. Add
// an orchestration for each new call.

var (
	keptStep     = turnstile.NewActivity[string, string]("Step")
	keptFails    = turnstile.NewActivity[string, string]("Fails")
	keptBad      = turnstile.NewActivity[string, int]("Step") // its result cannot be decoded
	keptLarge    = turnstile.NewActivity[int, string]("Large")
	keptReported = turnstile.NewEvent[string]("told")

	keptSystem  = turnstile.NewOrchestration[string, string]("System")
	keptMany    = turnstile.NewOrchestration[[]string, string]("Many")
	keptSync    = turnstile.NewOrchestration[int, string]("Synchronised")
	keptLater   = turnstile.NewOrchestration[string, string]("Later")
	keptPatched = turnstile.NewOrchestration[string, string]("Patched")
	keptParent  = turnstile.NewOrchestration[string, string]("Parent")
	keptChild   = turnstile.NewOrchestration[string, string]("Child")
	keptPanics  = turnstile.NewOrchestration[string, string]("Panics")
	keptTyped   = turnstile.NewOrchestration[int, string]("Typed")
	keptRejects = turnstile.NewOrchestration[string, string]("Rejects")
)

// keptWords returns the application; retired is true if the patch is retired.
func keptWords(retired bool) *turnstile.App {
	persistent := turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: 5 * time.Second})
	return turnstile.NewApp(
		keptStep.Implement(func(_ context.Context, in string) (string, error) { return in + "!", nil }),
		keptFails.Implement(func(_ context.Context, in string) (string, error) {
			switch in {
			case "panic":
				panic("as it has to")
			case "final":
				return "", turnstile.NonRetryable(turnstile.WithCode(errors.New("no"), "refused"))
			}
			return "", errors.New("not yet")
		}),
		keptLarge.Implement(func(_ context.Context, n int) (string, error) { return fmt.Sprintf("%0*d", n, 0), nil }),
		keptSystem.Implement(func(ctx turnstile.Context, in string) (string, error) {
			now := turnstile.Now(ctx)
			id := turnstile.UUID(ctx)
			drawn, _ := turnstile.SideEffect(ctx, "draw", func() (string, error) { return "drawn", nil })
			_, undrawn := turnstile.SideEffect(ctx, "not drawn", func() (string, error) { return "", errors.New("empty") })
			random := turnstile.Random(ctx)
			turnstile.Annotate(ctx, slog.LevelWarn, "here it is")
			if err := turnstile.NewState[string]("status").Set(ctx, in); err != nil {
				return "", err
			}
			attributes := turnstile.SearchAttributes{"word": turnstile.SearchString(in), "n": turnstile.SearchNumber(1.5), "at": turnstile.SearchTime(now)}
			if err := turnstile.SetSearchAttributes(ctx, attributes); err != nil {
				return "", err
			}
			if _, err := keptStep.Call(ctx, fmt.Sprint(now.Unix(), id, drawn, undrawn, random.IntN(1000))); err != nil {
				return "", err
			}
			return id, nil
		}),
		keptMany.Implement(func(ctx turnstile.Context, items []string) (string, error) {
			all, err := turnstile.Map(ctx, items, 2, keptStep.Call)
			if err != nil {
				return "", err
			}
			each, err := turnstile.MapSettled(ctx, append([]string{"final"}, items...), 3, func(ctx turnstile.Context, item string) (string, error) {
				if item == "final" {
					return keptFails.Call(ctx, item)
				}
				return keptStep.Inline(ctx, item)
			}, turnstile.TolerateFailures(1))
			if err != nil {
				return "", err
			}
			first, value, err := turnstile.Any(ctx, keptFails.Start(ctx, "final"), keptStep.Start(ctx, "any"))
			if err != nil {
				return "", err
			}
			outcomes, err := turnstile.JoinSettled(ctx, keptFails.Start(ctx, "panic"), keptStep.Start(ctx, "settled"))
			if err != nil {
				return "", err
			}
			seen := 0
			for range turnstile.AsCompleted(ctx, keptStep.Start(ctx, "a"), keptStep.Start(ctx, "b"), keptStep.Start(ctx, "c")) {
				if seen++; seen == 2 {
					break
				}
			}
			timer, step := turnstile.After(ctx, time.Minute), keptStep.Start(ctx, "kept")
			won, err := turnstile.SelectWithoutCancel(ctx, timer, step)
			if err != nil {
				return "", err
			}
			if err := turnstile.JoinMixed(ctx, timer, step); err != nil {
				return "", err
			}
			batched := keptStep.With(turnstile.CommitEvery(4))
			for i := range 6 {
				if _, err := batched.Inline(ctx, fmt.Sprint(i)); err != nil {
					return "", err
				}
			}
			_, wrong := keptBad.Call(ctx, "no number")
			_, large := keptLarge.Call(ctx, turnstile.MaxPayload+1)
			_, again := keptFails.With(persistent).Inline(ctx, "later")
			return fmt.Sprint(all, slices.IndexFunc(each, func(o turnstile.Outcome[string]) bool { return o.Err != nil }), first, value, len(outcomes), won, wrong != nil, large != nil, again != nil), nil
		}),
		keptSync.Implement(func(ctx turnstile.Context, n int) (string, error) {
			var mutex turnstile.Mutex
			var group turnstile.WaitGroup
			two := turnstile.NewSemaphore(2)
			order := ""
			var all []turnstile.Future[string]
			for i := range n {
				group.Add(1)
				all = append(all, turnstile.Go(ctx, func(ctx turnstile.Context) (string, error) {
					defer group.Done()
					if err := two.Acquire(ctx, 1); err != nil {
						return "", err
					}
					defer two.Release(1)
					if err := turnstile.Sleep(ctx, time.Duration(n-i)*time.Second); err != nil {
						return "", err
					}
					if err := mutex.Lock(ctx); err != nil {
						return "", err
					}
					defer mutex.Unlock()
					out, err := keptStep.Call(ctx, fmt.Sprint(i))
					order += out
					return out, err
				}))
			}
			if err := group.Wait(ctx); err != nil {
				return "", err
			}
			_, err := turnstile.Join(ctx, all...)
			return order, err
		}),
		keptLater.With(turnstile.RunTimeout(48*time.Hour)).Implement(func(ctx turnstile.Context, in string) (string, error) {
			looks := 0
			if _, err := turnstile.Poll(ctx, keptStep.Call, in, func(string) bool { looks++; return looks == 3 }, turnstile.PollPolicy{InitialInterval: time.Minute}); err != nil {
				return "", err
			}
			_, came, err := keptReported.TryWait(ctx)
			if err != nil {
				return "", err
			}
			words := ""
			for word, err := range keptReported.All(ctx) {
				if err != nil {
					return "", err
				}
				if words += word; word == "end" {
					break
				}
			}
			within, cancel := turnstile.WithTimeout(ctx, time.Hour)
			_, late := keptReported.Wait(within)
			cancel("enough")
			_, none := keptReported.WaitTimeout(ctx, time.Minute)
			var saga turnstile.Saga
			saga.Add("the step", func(ctx turnstile.Context) error {
				_, err := keptStep.Call(ctx, "undone")
				return err
			})
			if _, err := keptFails.Call(ctx, "final"); err != nil && in == "undo" {
				return "", saga.Compensate(ctx, err)
			}
			return fmt.Sprint(came, words, errors.Is(late, turnstile.ErrTimeout), errors.Is(none, turnstile.ErrTimeout)), nil
		}),
		keptPatched.Implement(func(ctx turnstile.Context, in string) (string, error) {
			if retired {
				turnstile.PatchRetired(ctx, "first")
			} else if !turnstile.Patched(ctx, "first") {
				return "old", nil
			}
			if _, err := keptStep.Call(ctx, in); err != nil {
				return "", err
			}
			if turnstile.Patched(ctx, "second") {
				return keptStep.Call(ctx, "new")
			}
			return "old", nil
		}),
		keptParent.Implement(func(ctx turnstile.Context, in string) (string, error) {
			named := keptChild.With(turnstile.InstanceID(in+"/child"), persistent)
			_, failed := named.Call(ctx, "fails")
			again, taken := keptChild.With(turnstile.InstanceID(in+"/child")).Call(ctx, "again")
			existing, err := keptChild.With(turnstile.InstanceID(in+"/child/3"), turnstile.UseExisting()).Call(ctx, "fails")
			left := keptChild.With(turnstile.ParentClosePolicy(turnstile.Cancel)).Start(ctx, "waits")
			alone, detached := keptChild.StartDetached(ctx, "waits")
			if detached != nil {
				return "", detached
			}
			if err := keptReported.RaiseTo(ctx, alone, "go"); err != nil {
				return "", err
			}
			other, detached := keptChild.StartDetached(ctx, "waits")
			if detached != nil {
				return "", detached
			}
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			err = errors.Join(err, turnstile.CancelInstance(ctx, other, "enough"))
			return fmt.Sprint(failed != nil, again, taken != nil, existing, err != nil, left.Instance() != ""), nil
		}),
		keptChild.Implement(func(ctx turnstile.Context, in string) (string, error) {
			if in == "waits" {
				return keptReported.Wait(ctx)
			}
			return keptFails.Call(ctx, "final")
		}),
		keptPanics.With(turnstile.FailWhenStuck()).Implement(func(ctx turnstile.Context, in string) (string, error) {
			if _, err := keptStep.Call(ctx, in); err != nil {
				return "", err
			}
			panic("as it has to")
		}),
		keptTyped.Implement(func(turnstile.Context, int) (string, error) { return "", nil }),
		keptRejects.Implement(func(ctx turnstile.Context, _ string) (string, error) {
			number := turnstile.NewEvent[int]("number").Rejecting()
			first, err := number.Wait(ctx)
			if err != nil {
				return "", err
			}
			if err := turnstile.Sleep(ctx, time.Hour); err != nil {
				return "", err
			}
			second, came, err := number.TryWait(ctx) // of the kept events
			if err != nil {
				return "", err
			}
			third, err := number.WaitTimeout(ctx, 24*time.Hour)
			return fmt.Sprint(first, second, came, third), err
		}),
	)
}

func TestV06TheWordsOfAuthorsReplayAsTheyWereKept(t *testing.T) {
	t.Parallel()
	turnstiletest.Replay(t, keptWords(false), histories+"/*/words/*.json")
	turnstiletest.Replay(t, keptWords(true), histories+"/*/words/*Patched-*.json")
}

// Runs the current code; with TURNSTILE_KEEP it writes the histories.
func TestTheWordsOfAuthorsComeToTheirEnds(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, keptWords(false))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "words") })
	turnstiletest.Start(env, keptSystem, "word", client.WithInstanceID("System"))
	turnstiletest.Start(env, keptMany, []string{"a", "b", "c"}, client.WithInstanceID("Many"))
	turnstiletest.Start(env, keptSync, 4, client.WithInstanceID("Synchronised"))
	for _, in := range []string{"undo", "do"} {
		turnstiletest.Start(env, keptLater, in, client.WithInstanceID("Later-"+in))
		for i, word := range []string{"a", "b", "end"} {
			env.After(time.Duration(i+1)*time.Hour, func() { turnstiletest.Raise(env, keptReported, "Later-"+in, word) })
		}
	}
	turnstiletest.Start(env, keptPatched, "in", client.WithInstanceID("Patched"))
	turnstiletest.Start(env, keptParent, "in", client.WithInstanceID("Parent"))
	turnstiletest.Start(env, keptPanics, "in", client.WithInstanceID("Panics"))
	if _, err := env.Client().Start(t.Context(), client.StartRequest{Name: "Typed", Instance: "Typed", Input: []byte(`"text"`)}); err != nil {
		t.Fatal(err)
	}
	env.Run()
	for instance, want := range map[string]client.Status{"System": client.StatusCompleted, "Many": client.StatusCompleted,
		"Synchronised": client.StatusCompleted, "Later-undo": client.StatusFailed, "Later-do": client.StatusCompleted,
		"Patched": client.StatusCompleted, "Parent": client.StatusCompleted, "Panics": client.StatusFailed, "Typed": client.StatusFailed} {
		if d, err := env.Client().Describe(t.Context(), instance); err != nil || d.Status != want {
			t.Errorf("%s is %s, %v, %+v: want %s", instance, d.Status, err, d.Failure, want)
		}
	}
}

func TestTheWordsOfAuthorsComeToALimit(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, keptWords(false), turnstiletest.WithSettings(host.Settings{Limits: host.LimitSettings{Events: 30}}))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "words") })
	_, err := turnstiletest.Start(env, keptMany, []string{"a", "b", "c"}, client.WithInstanceID("Limited")).Wait()
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Kind != turnstile.KindLimit {
		t.Errorf("it ended with %v", err)
	}
}

func TestTheWordsOfAuthorsAreSuspendedAndResumed(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, keptWords(false))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "words") })
	turnstiletest.Start(env, keptLater, "do", client.WithInstanceID("Suspended"))
	for i, word := range []string{"a", "b", "end"} {
		env.After(time.Duration(i+1)*time.Hour, func() { turnstiletest.Raise(env, keptReported, "Suspended", word) })
	}
	env.After(90*time.Minute, func() {
		if err := env.Client().Suspend(t.Context(), "Suspended", "the bank is down"); err != nil {
			t.Error(err)
		}
	})
	env.After(150*time.Minute, func() {
		d, err := env.Client().Describe(t.Context(), "Suspended")
		if err != nil || d.Status != client.StatusSuspended || d.Suspension == nil || d.Suspension.Reason != "the bank is down" {
			t.Errorf("it is %+v, %v", d, err)
		}
		if err := env.Client().Resume(t.Context(), "Suspended", "it is back"); err != nil {
			t.Error(err)
		}
	})
	env.Run()
	if d, err := env.Client().Describe(t.Context(), "Suspended"); err != nil || d.Status != client.StatusCompleted || d.Suspension != nil {
		t.Errorf("it is %+v, %v", d, err)
	}
}

func TestTheWordsOfAuthorsReject(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, keptWords(false))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "words") })
	run := turnstiletest.Start(env, keptRejects, "in", client.WithInstanceID("Rejects"))
	for i, data := range []string{`"text"`, `1`, `"kept"`, `2`, `[]`, `3`} {
		at := time.Duration(i+1) * time.Minute
		if i > 3 {
			at += 2 * time.Hour
		}
		env.After(at, func() {
			if err := env.Client().Raise(t.Context(), client.RaiseRequest{Instance: "Rejects", Name: "number", Data: []byte(data)}); err != nil {
				t.Error(err)
			}
		})
	}
	if out, err := run.Wait(); err != nil || out != "1 2 true 3" {
		t.Errorf("it came to %q, %v", out, err)
	}
}

func TestTheWordsOfAuthorsAreRedriven(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, keptWords(false))
	t.Cleanup(func() { kept.Sample(t, env.Client(), histories, "words") })
	turnstiletest.Start(env, keptLater, "do", client.WithInstanceID("Redriven"))
	for i, word := range []string{"a", "b", "end"} {
		env.After(time.Duration(i+1)*time.Hour, func() { turnstiletest.Raise(env, keptReported, "Redriven", word) })
	}
	env.After(90*time.Minute, func() {
		if _, err := env.Client().Redrive(t.Context(), client.RedriveRequest{Instance: "Redriven", Reset: true, Reason: "the bank is back"}); err != nil {
			t.Error(err)
		}
	})
	env.Run()
	d, err := env.Client().Describe(t.Context(), "Redriven")
	if err != nil || d.Status != client.StatusCompleted || d.ExecutionID != 2 {
		t.Errorf("it is %+v, %v", d, err)
	}
}
