package turnstile_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

func TestInfoSuggestsToContinueAsNew(t *testing.T) {
	t.Parallel()
	_, err := outcome(t, func(ctx turnstile.Context) error {
		n := 0
		for !turnstile.Info(ctx).ContinueAsNewSuggested {
			turnstile.UUID(ctx)
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
	e := start(t, flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		return 0, turnstile.SetCustomStatus(ctx, progress{2, 3})
	}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	ok[int](t)(run.Wait(e.ctx))
	d := ok[client.Description](t)(run.Describe(e.ctx))
	if got := ok[progress](t)(client.CustomStatusOf[progress](d)); got != (progress{2, 3}) {
		t.Errorf("the status is %v", got)
	}
	if _, err := client.CustomStatusOf[string](d); err == nil {
		t.Error("it was taken for a string")
	}
	if got := ok[progress](t)(client.CustomStatusOf[progress](client.Description{})); got != (progress{}) {
		t.Errorf("no status is %v", got)
	}
}
