package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// outcome runs an orchestration with the activity Double to its end, and
// returns its history's kinds and its error.
func outcome(t *testing.T, code func(turnstile.Context) error, parts ...turnstile.Component) ([]string, error) {
	t.Helper()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := start(t, append(parts, double.Implement(doubled), flow.Implement(func(ctx turnstile.Context, _ int) (int, error) { return 0, code(ctx) }))...)
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	_, err := run.Wait(e.ctx)
	return kinds(e.history(run.Instance)), err
}

func differ(format string, args ...any) error { return fmt.Errorf(format, args...) }

func TestSelectTakesTheEarliestOfAnyTypes(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		number, hour := double.Start(ctx, 4), turnstile.After(ctx, time.Hour)
		first, err := turnstile.Select(ctx, hour, number)
		if first != 1 || err != nil {
			return differ("Select gave %d, %v", first, err)
		}
		if n, err := number.Await(ctx); n != 8 || err != nil {
			return differ("the winner gave %d, %v", n, err)
		}
		// F-05: awaiting a loser immediately returns the typed cancelled error.
		_, err = hour.Await(ctx)
		if _, isCancelled := errors.AsType[*turnstile.CancelledError](err); !isCancelled || !errors.Is(err, turnstile.ErrCancelled) {
			return differ("the loser gave %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSelectKeepLeavesTheLosersOpen(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		hour, day := turnstile.After(ctx, time.Hour), turnstile.After(ctx, 24*time.Hour)
		if first, err := turnstile.SelectWithoutCancel(ctx, day, hour); first != 1 || err != nil {
			return differ("SelectWithoutCancel gave %d, %v", first, err)
		}
		if day.Ready() {
			return differ("the loser is ready")
		}
		_, err := day.Await(ctx)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestF01JoinReturnsResultsInTheOrderOfArguments(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var futures []turnstile.Future[int]
		for n := range 20 {
			futures = append(futures, double.Start(ctx, n))
		}
		results, err := turnstile.Join(ctx, futures...)
		if err != nil {
			return err
		}
		for n, got := range results {
			if got != 2*n {
				return differ("result %d is %d", n, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestF01JoinWaitsForAllAndReturnsATypedError(t *testing.T) {
	t.Parallel()
	odd := turnstile.NewActivity[int, int]("Odd")
	_, err := outcome(t, func(ctx turnstile.Context) error {
		futures := []turnstile.Future[int]{double.Start(ctx, 1), odd.Start(ctx, 2), double.Start(ctx, 3)}
		results, err := turnstile.Join(ctx, futures...)
		if failed, isActivity := errors.AsType[*turnstile.ActivityError](err); !isActivity || failed.Activity != "Odd" || results != nil {
			return differ("Join gave %v, %v", results, err)
		}
		for _, f := range futures {
			if !f.Ready() {
				return differ("Join returned before event %d was complete", f.EventID())
			}
		}
		return nil
	}, odd.Implement(func(context.Context, int) (int, error) { return 0, errors.New("even") }))
	if err != nil {
		t.Error(err)
	}
}

func TestF02OverNothing(t *testing.T) {
	t.Parallel()
	history, err := outcome(t, func(ctx turnstile.Context) error {
		if results, err := turnstile.Join[int](ctx); err != nil || len(results) != 0 {
			return differ("Join gave %v, %v", results, err)
		}
		if _, err := turnstile.Select(ctx); !errors.Is(err, turnstile.ErrNothingToWaitFor) {
			return differ("Select gave %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if want := []string{"OrchestrationStarted", "OrchestrationCompleted"}; !reflect.DeepEqual(history, want) {
		t.Errorf("recorded were %v, want %v", history, want)
	}
}

func TestCancellingAScopeCancelsItsOperations(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		scope, cancel := turnstile.WithCancel(ctx)
		inner, _ := turnstile.WithCancel(scope)
		outside, in, deep := turnstile.After(ctx, time.Hour), turnstile.After(scope, time.Hour), turnstile.After(inner, time.Hour)
		shielded := turnstile.After(turnstile.WithoutCancel(scope), time.Minute)
		cancel("enough")
		for _, f := range []turnstile.Future[struct{}]{in, deep} {
			_, err := f.Await(ctx)
			if cancelled, isCancelled := errors.AsType[*turnstile.CancelledError](err); !isCancelled || cancelled.Reason != "enough" {
				return differ("in the scope: %v", err)
			}
		}
		if err := turnstile.Sleep(scope, time.Second); !errors.Is(err, turnstile.ErrCancelled) {
			return differ("started after the cancel: %v", err)
		}
		if scope.Err() == nil || ctx.Err() != nil {
			return differ("Err is %v inside and %v outside", scope.Err(), ctx.Err())
		}
		if _, err := shielded.Await(ctx); err != nil {
			return differ("shielded: %v", err)
		}
		_, err := outside.Await(ctx)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAValueThatCannotBeEncodedIsAnErrorThatRecordsNothing(t *testing.T) {
	t.Parallel()
	measure := turnstile.NewActivity[float64, int]("Measure")
	history, err := outcome(t, func(ctx turnstile.Context) error {
		f := measure.Start(ctx, math.NaN())
		if first, err := turnstile.Select(ctx, turnstile.After(ctx, time.Hour), f); first != 1 || err != nil {
			return differ("Select gave %d, %v", first, err)
		}
		_, err := f.Await(ctx)
		if wrong, isEncode := errors.AsType[*turnstile.EncodeError](err); !isEncode || wrong.Name != "Measure" || wrong.Type != "float64" {
			return differ("Await gave %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if want := []string{"OrchestrationStarted", "TimerCreated", "OrchestrationCompleted"}; !reflect.DeepEqual(history, want) {
		t.Errorf("recorded were %v, want %v", history, want)
	}
}

func TestL01AnInputOverTheLimitIsAnErrorAtTheCall(t *testing.T) {
	t.Parallel()
	size := turnstile.NewActivity[string, int]("Size")
	_, err := outcome(t, func(ctx turnstile.Context) error {
		if n, err := size.Call(ctx, string(make([]byte, 10))); n != 10 || err != nil {
			return differ("a short input gave %d, %v", n, err)
		}
		atLimit := make([]byte, turnstile.MaxPayload-2)
		for i := range atLimit {
			atLimit[i] = 'x'
		}
		if n, err := size.Call(ctx, string(atLimit)); n != len(atLimit) || err != nil {
			return differ("an input at the limit gave %d, %v", n, err)
		}
		_, err := size.Call(ctx, string(atLimit)+"x")
		large, isLarge := errors.AsType[*turnstile.PayloadTooLargeError](err)
		if !isLarge || large.Size != turnstile.MaxPayload+1 || large.Name != "Size" {
			return differ("an input over the limit gave %v", err)
		}
		return nil
	}, size.Implement(func(_ context.Context, s string) (int, error) { return len(s), nil }))
	if err != nil {
		t.Error(err)
	}
}

func TestFuturesSayWhichEventTheyAre(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		a, b := double.Start(ctx, 1), turnstile.After(ctx, time.Second)
		if a.EventID() != 2 || b.EventID() != 3 || a.Instance() != "" {
			return differ("events %d and %d, instance %q", a.EventID(), b.EventID(), a.Instance())
		}
		var zero turnstile.Future[int]
		if zero.EventID() != 0 || zero.Ready() || zero.Instance() != "" {
			return differ("the zero future is something")
		}
		zero.Cancel("no effect")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
