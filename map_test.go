package turnstile_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func TestF09MapKeepsToItsLimit(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, []int]("Flow")
	e := start(t, double.Implement(doubled), flow.Implement(func(ctx turnstile.Context, _ int) ([]int, error) {
		return turnstile.Map(ctx, []int{5, 4, 3, 2, 1}, 2, double.Call)
	}))
	run := ok[*client.Run[[]int]](t)(client.Start(e.ctx, e.client, flow, 0))
	if got := ok[[]int](t)(run.Wait(e.ctx)); !reflect.DeepEqual(got, []int{10, 8, 6, 4, 2}) {
		t.Errorf("the results are %v", got)
	}
	open, events := 0, e.history(run.Instance)
	for i := range events {
		switch events[i].Kind {
		case history.ActivityScheduled:
			if open++; open > 2 {
				t.Errorf("event %d: %d are open", events[i].EventID, open)
			}
			// F-09: the next call starts in the turn in which one completes.
			if i > 2 && events[i-1].Kind != history.ActivityCompleted {
				t.Errorf("event %d follows a %s", events[i].EventID, events[i-1].Kind)
			}
		case history.ActivityCompleted:
			open--
		}
	}
	if len(events) != 12 {
		t.Errorf("%d events were recorded, want 12", len(events))
	}
}

func TestF02F09MapOverNothingAndWithoutALimit(t *testing.T) {
	t.Parallel()
	kinds, err := outcome(t, func(ctx turnstile.Context) error {
		for _, limit := range []int{3, 0} { // 0 is that of len(items)
			if got, err := turnstile.Map(ctx, nil, limit, double.Call); err != nil || got == nil || len(got) != 0 {
				return differ("over nothing, no more than %d at once: %#v, %v", limit, got, err)
			}
		}
		_, err := turnstile.Map(ctx, []int{1}, 0, double.Call)
		if wrong, ok := errors.AsType[*turnstile.InvalidArgumentError](err); !ok || wrong.Call != "Map" || wrong.Argument != "limit" {
			return differ("without a limit: %v", err)
		}
		return nil
	})
	if err != nil || len(kinds) != 2 {
		t.Error(kinds, err)
	}
}

func TestMapFailsWithTheFirstFailureAndCancelsTheRest(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var ended []error
		startedAt := 0
		err := turnstile.ForEach(ctx, []int{0, 1, 2, 3}, 3, func(ctx turnstile.Context, n int) error {
			startedAt++
			if n == 1 {
				_, err := odd.Call(ctx, 2)
				return err
			}
			err := turnstile.Sleep(ctx, time.Hour)
			// Map waits for the clean-up.
			if _, undone := double.Call(turnstile.WithoutCancel(ctx), n); undone != nil {
				return undone
			}
			ended = append(ended, err)
			return err
		})
		item, ok := errors.AsType[*turnstile.ItemError](err)
		failed, isActivity := errors.AsType[*turnstile.ActivityError](err)
		if !ok || item.Index != 1 || !isActivity || failed.Activity != "Odd" {
			return differ("ForEach gave %v", err)
		}
		if startedAt != 3 || len(ended) != 2 || !errors.Is(ended[0], turnstile.ErrCancelled) || !errors.Is(ended[1], turnstile.ErrCancelled) {
			return differ("%d began, of which %v ended", startedAt, ended)
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}

func TestMapToleratesTheGivenNumberOfFailures(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		got, err := turnstile.Map(ctx, []int{1, 2, 3, 4, 5}, 2, odd.Call, turnstile.TolerateFailures(2))
		if err != nil || !reflect.DeepEqual(got, []int{1, 0, 3, 0, 5}) {
			return differ("two of two: %v, %v", got, err)
		}
		got, err = turnstile.Map(ctx, []int{1, 2, 3, 4, 6, 8}, 1, odd.Call, turnstile.TolerateFailures(2))
		item, ok := errors.AsType[*turnstile.ItemError](err)
		if !ok || item.Index != 1 || got != nil {
			return differ("three of two: %v, %v", got, err)
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}

func TestMapSettledReturnsHowEachItemEnded(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		got, err := turnstile.MapSettled(ctx, []int{1, 2, 3, 4, 5}, 2, odd.Call)
		if err != nil || len(got) != 5 {
			return differ("%v, %v", got, err)
		}
		for i, o := range got {
			failed := i%2 == 1
			if _, isActivity := errors.AsType[*turnstile.ActivityError](o.Err); isActivity != failed || !failed && o.Value != i+1 || failed && o.Value != 0 {
				return differ("item %d: %+v", i, o)
			}
		}
		got, err = turnstile.MapSettled(ctx, []int{1, 2, 3, 4}, 1, odd.Call, turnstile.TolerateFailures(1))
		if item, ok := errors.AsType[*turnstile.ItemError](err); !ok || item.Index != 1 || got != nil {
			return differ("two of one: %v, %v", got, err)
		}
		if got, err = turnstile.MapSettled(ctx, []int{}, 0, odd.Call); err != nil || got == nil || len(got) != 0 {
			return differ("of nothing: %v, %v", got, err)
		}
		if _, err = turnstile.MapSettled(ctx, []int{1}, 0, odd.Call); err == nil || !strings.Contains(err.Error(), "MapSettled: the limit is 0") {
			return differ("without a limit: %v", err)
		}
		return nil
	}, odd.Implement(oddOnly))
	if err != nil {
		t.Error(err)
	}
}

func TestMapInACancelledScopeReturnsItsError(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		scope, _ := turnstile.WithTimeout(ctx, time.Minute)
		cleaned := 0
		err := turnstile.ForEach(scope, []int{1, 2, 3}, 2, func(ctx turnstile.Context, n int) error {
			defer func() { cleaned++ }()
			return turnstile.Sleep(ctx, time.Hour)
		})
		if cancelled, ok := errors.AsType[*turnstile.CancelledError](err); !ok || !cancelled.Timeout || cleaned != 2 {
			return differ("ForEach gave %v, %d were cleaned up", err, cleaned)
		}
		if _, err := turnstile.Map(scope, []int{1}, 1, double.Call); !errors.Is(err, turnstile.ErrTimeout) {
			return differ("in a cancelled scope: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// With a method value the stack contains no code of the author, so errors point to the Map.
func TestR04ANondeterminismErrorInAMapNamesItsPlace(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	part := func(n int) turnstile.Component {
		return flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			_, err := turnstile.Map(ctx, []int{n}, 1, double.Call)
			return 0, err
		})
	}
	e := start(t, part(1), double.Implement(doubled))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	ok[int](t)(run.Wait(e.ctx))
	turn := replay(t, turnstile.NewApp(part(2)), run.Instance, e.history(run.Instance))
	if turn.Stuck == nil || !strings.Contains(turn.Stuck.Message, "map_test.go:") {
		t.Errorf("the error is %v", turn.Stuck)
	}
}
