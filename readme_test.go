package turnstile_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// The first program of the README: an order that is cancelled while it waits for its approval has
// been charged, so it is refunded and not shipped.
func TestTheReadmesOrderIsRefundedWhenItIsCancelled(t *testing.T) {
	t.Parallel()
	var (
		fulfilOrder = turnstile.NewOrchestration[string, string]("Fulfil")
		shipOrder   = turnstile.NewOrchestration[string, string]("Ship")
		reserve     = turnstile.NewActivity[string, string]("ReserveStock")
		charge      = turnstile.NewActivity[string, string]("Charge")
		refundOrder = turnstile.NewActivity[string, string]("Refund")
		isApproved  = turnstile.NewEvent[bool]("approved")
	)
	refund := func(ctx turnstile.Context, receipt string, cause error) (string, error) {
		if _, err := refundOrder.Call(turnstile.WithoutCancel(ctx), receipt); err != nil {
			return "", errors.Join(cause, err)
		}
		return "refunded", cause
	}
	fulfil := func(ctx turnstile.Context, o string) (string, error) {
		stock, payment := reserve.Start(ctx, o), charge.Start(ctx, o)
		if _, err := stock.Await(ctx); err != nil {
			return "", err
		}
		receipt, err := payment.Await(ctx)
		if err != nil {
			return "", err
		}
		approved, timeout := isApproved.Next(ctx), turnstile.After(ctx, 72*time.Hour)
		if first, err := turnstile.Select(ctx, approved, timeout); err != nil || first == 1 {
			return refund(ctx, receipt, err)
		}
		return shipOrder.Call(ctx, o)
	}
	for name, c := range map[string]struct {
		meanwhile func(env *turnstiletest.Env, run *turnstiletest.Run[string])
		want      []string
		cancelled bool
	}{
		"cancelled": {func(_ *turnstiletest.Env, run *turnstiletest.Run[string]) { run.Cancel("changed my mind") }, []string{"refund"}, true},
		"too late":  {func(*turnstiletest.Env, *turnstiletest.Run[string]) {}, []string{"refund"}, false},
		"approved": {func(env *turnstiletest.Env, run *turnstiletest.Run[string]) {
			turnstiletest.Raise(env, isApproved, run.Instance, true)
		}, []string{"ship"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var did []string
			env := turnstiletest.New(t, turnstile.NewApp(fulfilOrder.Implement(fulfil), shipOrder.Implement(func(_ turnstile.Context, o string) (string, error) {
				return "shipped", nil
			})))
			for _, a := range []turnstile.Activity[string, string]{reserve, charge} {
				turnstiletest.On(env, a).Return("done", nil)
			}
			turnstiletest.On(env, refundOrder).Do(func(context.Context, string) (string, error) {
				did = append(did, "refund")
				return "", nil
			})
			run := turnstiletest.Start(env, fulfilOrder, "1001")
			env.After(time.Hour, func() { c.meanwhile(env, run) })
			output, err := run.Wait()
			if output == "shipped" {
				did = append(did, "ship")
			}
			if !slices.Equal(did, c.want) || errors.Is(err, turnstile.ErrCancelled) != c.cancelled || !c.cancelled && err != nil {
				t.Errorf("it did %v and ended with %q, %v", did, output, err)
			}
		})
	}
}
