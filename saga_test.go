package turnstile_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

var undo = turnstile.NewActivity[string, bool]("Undo")

// trip books things until a booking fails.
func trip(ctx turnstile.Context, things ...string) error {
	var saga turnstile.Saga
	for _, thing := range things {
		if thing == "fails" {
			_, err := odd.Call(ctx, 2)
			return saga.Compensate(ctx, err)
		}
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return saga.Compensate(ctx, err)
		}
		saga.Add(thing, func(ctx turnstile.Context) error {
			_, err := undo.Call(ctx, thing)
			return err
		})
	}
	return nil
}

// undoing returns the compensating activity, which fails for "sticky", and its calls.
func undoing() (turnstile.Component, func() []string) {
	var undone []string
	return undo.Implement(func(_ context.Context, what string) (bool, error) {
		if what == "sticky" {
			return false, errors.New("cannot be undone")
		}
		undone = append(undone, what)
		return true, nil
	}), func() []string { return undone }
}

func TestK10ASagaUndoesInReverse(t *testing.T) {
	t.Parallel()
	part, undone := undoing()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		err := trip(ctx, "room", "flight", "fails")
		if turnstile.ErrorCode(err) != "even" {
			return differ("the trip gave %v", err)
		}
		return err
	}, odd.Implement(oddOnly), part)
	if failed, ok := errors.AsType[*client.OrchestrationError](err); !ok || failed.Code != "even" || failed.Source != "Odd" {
		t.Errorf("it ended with %v", err)
	}
	if got := undone(); !reflect.DeepEqual(got, []string{"flight", "room"}) {
		t.Errorf("undone were %v", got)
	}
}

func TestK10ASagaReportsWhatItCouldNotUndo(t *testing.T) {
	t.Parallel()
	part, undone := undoing()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		err := trip(ctx, "room", "sticky", "flight", "fails")
		failed, ok := errors.AsType[*turnstile.CompensationError](err)
		if !ok || len(failed.Failed) != 1 || failed.Failed[0].Step != "sticky" || turnstile.ErrorCode(failed) != "even" {
			return differ("the trip gave %v", err)
		}
		if inner, ok := errors.AsType[*turnstile.ActivityError](failed.Failed[0].Err); !ok || inner.Activity != "Undo" {
			return differ("the step gave %v", failed.Failed[0].Err)
		}
		return err
	}, odd.Implement(oddOnly), part)
	if err == nil || !strings.Contains(err.Error(), `even; could not undo "sticky": activity "Undo" failed: cannot be undone`) {
		t.Errorf("it ended with %v", err)
	}
	if got := undone(); !reflect.DeepEqual(got, []string{"flight", "room"}) {
		t.Errorf("undone were %v", got)
	}
}

func TestK10ASagaSurvivesACancel(t *testing.T) {
	t.Parallel()
	part, undone := undoing()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := arrange(t, nil, part, flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		return 0, trip(ctx, "room", "sticky", "flight")
	}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	e.AfterFunc(150*time.Minute, func() {
		if err := run.Cancel(e.ctx, "no more"); err != nil {
			t.Error(err)
		}
	})
	e.run()
	_, err := run.Wait(e.ctx)
	if !errors.Is(err, turnstile.ErrCancelled) || !strings.Contains(err.Error(), `could not undo "sticky"`) {
		t.Errorf("it ended with %v", err)
	}
	if got := undone(); !reflect.DeepEqual(got, []string{"room"}) {
		t.Errorf("undone were %v", got)
	}
	// Each step is undone once, also if the instance is replayed after a crash at any call.
	events := e.history(run.Instance)
	for n := 1; n <= len(events); n++ {
		turn := replay(t, turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
			return 0, trip(ctx, "room", "sticky", "flight")
		})), run.Instance, events[:n])
		if turn.Stuck != nil && !strings.Contains(turn.Stuck.Message, "no end after its last event") {
			t.Errorf("the first %d events: %v", n, turn.Stuck)
		}
	}
}

func TestASagaUndoesEachStepOnce(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var saga turnstile.Saga
		n := 0
		saga.Add("it", func(turnstile.Context) error { n++; return nil })
		if err := saga.Compensate(ctx, nil); err != nil {
			return err
		}
		if err := saga.Compensate(ctx, nil); err != nil || n != 1 {
			return differ("%d times, %v", n, err)
		}
		saga.Add("that", func(turnstile.Context) error { return errors.New("no") })
		if err := saga.Compensate(ctx, nil); err == nil || err.Error() != `could not undo "that": no` {
			return differ("without a cause: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestUndoCallsWithTheInputThatItWasGiven(t *testing.T) {
	t.Parallel()
	refund := turnstile.NewActivity[string, turnstile.None]("Refund")
	var refunded []string
	cause := errors.New("no room")
	_, err := outcome(t, func(ctx turnstile.Context) error {
		var saga turnstile.Saga
		turnstile.Undo(&saga, "the first", refund.Call, "r-1")
		turnstile.Undo(&saga, "the second", refund.Call, "r-2")
		if found := misuse(func() { turnstile.Undo[string, int](&saga, "nothing", nil, "") }); found == nil || !strings.Contains(found.Error(), `undoes "nothing" is nil`) {
			return differ("a nil function: %v", found)
		}
		if err := saga.Compensate(ctx, cause); !errors.Is(err, cause) {
			return differ("Compensate gave %v", err)
		}
		return nil
	}, refund.Implement(func(_ context.Context, receipt string) (turnstile.None, error) {
		refunded = append(refunded, receipt)
		return turnstile.None{}, nil
	}))
	if err != nil || strings.Join(refunded, " ") != "r-2 r-1" {
		t.Errorf("refunded were %v, %v", refunded, err)
	}
}
