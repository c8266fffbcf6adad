package turnstile_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// raised starts an orchestration and raises the numbers a minute apart.
func raised(t *testing.T, code func(turnstile.Context) error, values ...any) ([]string, error) {
	t.Helper()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := arrange(t, nil, double.Implement(doubled), flow.Implement(func(ctx turnstile.Context, _ int) (int, error) { return 0, code(ctx) }))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	anything := turnstile.NewEvent[any]("number")
	for n, value := range values {
		e.AfterFunc(time.Duration(n+1)*time.Minute, func() {
			if err := client.Raise(e.ctx, e.client, anything, run.Instance, value); err != nil {
				t.Error(err)
			}
		})
	}
	e.run()
	_, err := run.Wait(e.ctx)
	return kinds(e.history(run.Instance)), err
}

func TestAStreamYieldsEventsInOrderAndContinuesAfterADecodeError(t *testing.T) {
	t.Parallel()
	kinds, err := raised(t, func(ctx turnstile.Context) error {
		var numbers []int
		for n, err := range approvedNumber.All(ctx) {
			wrong, isDecode := errors.AsType[*turnstile.DecodeError](err)
			switch {
			case isDecode && string(wrong.Payload) == `"two"` && wrong.Type == "int" && wrong.Name == "number":
				numbers = append(numbers, -1)
			case err != nil:
				return err
			default:
				numbers = append(numbers, n)
			}
			if n == 3 {
				break
			}
		}
		if !reflect.DeepEqual(numbers, []int{1, -1, 3}) {
			return differ("they are %v", numbers)
		}
		// Events that no wait has taken are kept.
		n, err := approvedNumber.Wait(ctx)
		if n != 4 || err != nil {
			return differ("after the loop: %d, %v", n, err)
		}
		return nil
	}, 1, "two", 3, 4)
	if err != nil {
		t.Error(err)
	}
	// The event that cannot be decoded stays in the history.
	if count(kinds, "ExternalEvent") != 4 || count(kinds, "ExternalSubscribed") != 4 {
		t.Errorf("recorded were %v", kinds)
	}
}

func TestAStreamOfEventsEndsWithItsScope(t *testing.T) {
	t.Parallel()
	_, err := raised(t, func(ctx turnstile.Context) error {
		scope, _ := turnstile.WithTimeout(ctx, 90*time.Second)
		var numbers []int
		var last error
		for n, err := range approvedNumber.All(scope) {
			if last = err; err == nil {
				numbers = append(numbers, n)
			}
		}
		if !errors.Is(last, turnstile.ErrTimeout) || !reflect.DeepEqual(numbers, []int{1}) {
			return differ("%v, %v", numbers, last)
		}
		// The cancelled wait takes nothing.
		if n, err := approvedNumber.Wait(ctx); n != 2 || err != nil {
			return differ("after the scope: %d, %v", n, err)
		}
		return nil
	}, 1, 2)
	if err != nil {
		t.Error(err)
	}
}

func TestTryWaitTakesOnlyEventsThatHaveArrived(t *testing.T) {
	t.Parallel()
	kinds, err := raised(t, func(ctx turnstile.Context) error {
		if n, came, err := approvedNumber.TryWait(ctx); came || n != 0 || err != nil {
			return differ("before any: %d, %v, %v", n, came, err)
		}
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return err
		}
		var undecodable *turnstile.DecodeError
		if _, came, err := approvedNumber.TryWait(ctx); !came || !errors.As(err, &undecodable) {
			return differ("one that does not decode: %v, %v", came, err)
		}
		if n, came, err := approvedNumber.TryWait(ctx); !came || n != 2 || err != nil {
			return differ("the second: %d, %v, %v", n, came, err)
		}
		if _, came, err := approvedNumber.TryWait(ctx); came || err != nil {
			return differ("after the last: %v, %v", came, err)
		}
		scope, cancel := turnstile.WithCancel(ctx)
		cancel("enough")
		if _, came, err := approvedNumber.TryWait(scope); came || !errors.Is(err, turnstile.ErrCancelled) {
			return differ("in a cancelled scope: %v, %v", came, err)
		}
		return nil
	}, "one", 2)
	if err != nil {
		t.Error(err)
	}
	if count(kinds, "ExternalSubscribed") != 2 {
		t.Errorf("recorded were %v", kinds)
	}
}
