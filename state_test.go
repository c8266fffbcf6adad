package turnstile_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestAStateIsReadWithItsTypeNumberAndTime(t *testing.T) {
	t.Parallel()
	type progress struct{ Done, Of int }
	flow, state := turnstile.NewOrchestration[int, int]("Flow"), turnstile.NewState[progress]("progress")
	env := turnstiletest.New(t, turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, n int) (int, error) {
		for i := range n {
			if err := errors.Join(turnstile.Sleep(ctx, time.Hour), state.Set(ctx, progress{i / 2, n})); err != nil {
				return 0, err
			}
		}
		return 0, nil
	})))
	c := env.Client()
	if _, err := client.Get(t.Context(), c, state, "i"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("without an instance: %v", err)
	}
	turnstiletest.Start(env, flow, 4, client.WithInstanceID("i"))
	env.Advance(0)
	var none *client.StateNotSetError
	if _, err := client.Get(t.Context(), c, state, "i"); !errors.As(err, &none) || none.Orchestration != "Flow" || none.Set != nil {
		t.Errorf("before it is set: %v", err)
	}
	begun := env.Now()
	first, err := client.WaitState(t.Context(), c, state, "i", client.StateNumber{})
	if want := (progress{0, 4}); err != nil || first.Value != want || !first.At.Equal(begun.Add(time.Hour)) || first.Number != (client.StateNumber{ExecutionID: 1, EventID: 3}) || first.Ended {
		t.Errorf("first %+v, %v", first, err)
	}
	// The second value is equal, and wakes no reader.
	second, err := client.WaitState(t.Context(), c, state, "i", first.Number)
	if want := (progress{1, 4}); err != nil || second.Value != want || !second.At.Equal(begun.Add(3*time.Hour)) || second.Number.Compare(first.Number) <= 0 {
		t.Errorf("second %+v, %v", second, err)
	}
	last, err := client.WaitState(t.Context(), c, state, "i", second.Number)
	if err != nil || !last.Ended || last.Number != second.Number || !env.Now().Equal(begun.Add(4*time.Hour)) {
		t.Errorf("at the end %+v, %v", last, err)
	}
	if _, err := client.Get(t.Context(), c, turnstile.NewState[string]("progress"), "i"); !errors.As(err, new(*turnstile.DecodeError)) {
		t.Errorf("it was taken for a string: %v", err)
	}
	if _, err := client.Get(t.Context(), c, turnstile.NewState[string]("progres"), "i"); !errors.As(err, &none) || !strings.Contains(err.Error(), `did you mean "progress"?`) {
		t.Errorf("a name that is misspelt: %v", err)
	}
}

func TestStatesHaveALimitTogether(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, string]("Flow")
	a, b := turnstile.NewState[string]("a"), turnstile.NewState[string]("b")
	half := strings.Repeat("x", turnstile.MaxStates/2-103) // With its name, quotes and 100 bytes it is a half.
	env := turnstiletest.New(t, turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		if err := errors.Join(a.Set(ctx, half), b.Set(ctx, half), a.Set(ctx, half)); err != nil {
			return "", err
		}
		err := b.Set(ctx, half+"x")
		var large *turnstile.StateTooLargeError
		if !errors.As(err, &large) || large.Name != "b" || large.Size != turnstile.MaxStates+1 || large.Limit != turnstile.MaxStates {
			return "", errors.New("another error")
		}
		return "", err
	})))
	run := turnstiletest.Start(env, flow, 1)
	_, err := run.Wait()
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Kind != turnstile.KindTooLarge {
		t.Errorf("it ended with %v", err)
	}
	if v, err := client.StateOf(run.Describe(), b); err != nil || v.Value != half {
		t.Errorf("the state has %d bytes, %v", len(v.Value), err)
	}
}
