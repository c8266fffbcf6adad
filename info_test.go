package turnstile_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

func TestInfoSuggestsToContinueAsNew(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		n := 0
		for !turnstile.Info(ctx).ContinueAsNewSuggested {
			if _, err := turnstile.GUID(ctx); err != nil {
				return err
			}
			if n++; n%1000 == 0 {
				if err := turnstile.Sleep(ctx, time.Second); err != nil {
					return err
				}
			}
		}
		if length := turnstile.Info(ctx).HistoryLength; length != 4096 {
			return differ("it was suggested at %d events", length)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestACustomStatusHasAType(t *testing.T) {
	t.Parallel()
	type progress struct{ Done, Of int }
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := start(t, flow.Is(func(ctx turnstile.Context, _ int) (int, error) {
		return 0, turnstile.SetStatus(ctx, progress{2, 3})
	}))
	run := ok[*turnstile.Run[int]](t)(flow.StartWith(e.ctx, e.client, 0))
	ok[int](t)(run.Wait(e.ctx))
	d := ok[turnstile.Description](t)(run.Describe(e.ctx))
	if got := ok[progress](t)(turnstile.CustomStatusOf[progress](d)); got != (progress{2, 3}) {
		t.Errorf("the status is %v", got)
	}
	if _, err := turnstile.CustomStatusOf[string](d); err == nil {
		t.Error("it was taken for a string")
	}
	if got := ok[progress](t)(turnstile.CustomStatusOf[progress](turnstile.Description{})); got != (progress{}) {
		t.Errorf("no status is %v", got)
	}
}
