package turnstile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

// If a call without an error result panics, the instance is stuck, and its problem names the call
// and the side effect that made it.
func TestMisuseOfACallWithoutAnErrorMakesTheInstanceStuck(t *testing.T) {
	t.Parallel()
	for name, call := range withoutErrors {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			main := turnstile.NewOrchestration[int, int]("Main")
			e := start(t, main.With(turnstile.FailWhenStuck()).Implement(func(ctx turnstile.Context, n int) (int, error) {
				return turnstile.SideEffect(ctx, "s", func() (int, error) { call(ctx); return n, nil })
			}))
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, main, 1))
			_, err := run.Wait(e.ctx)
			failed, is := errors.AsType[*client.OrchestrationError](err)
			if !is || !strings.HasPrefix(failed.Message, "panic: turnstile: ") || !strings.Contains(failed.Message, `inside side effect "s"`) {
				t.Errorf("the instance ended with %v", err)
			}
		})
	}
}
