// Package activities makes durable calls where they are not allowed, and does what activities may
// do.
package activities

import (
	"context"
	"os"
	"time"

	"github.com/turnstile-go/turnstile"
)

var (
	charge = turnstile.NewActivity[string, int]("Charge")
	refund = turnstile.NewActivity[string, int]("Refund")
)

var kept turnstile.Context

func parts(ctx turnstile.Context) []turnstile.Component {
	return []turnstile.Component{
		charge.Implement(func(_ context.Context, s string) (int, error) {
			time.Sleep(1)
			_, _ = os.ReadFile(s)
			return refund.Call(ctx, s) // want `durable: turnstile.Activity.Call is a durable call, which replay expects only in orchestration code; make the call in the orchestration`
		}),
		refund.Implement(named), // want `durable: named reaches \(through later\) turnstile.Sleep, which is a durable call, which replay expects only in orchestration code, at activities.go:\d+`
	}
}

func named(_ context.Context, s string) (int, error) {
	done := make(chan struct{})
	go close(done)
	<-done
	return len(os.Getenv(s)), later()
}

func later() error { return turnstile.Sleep(kept, time.Second) }

func orchestration(ctx turnstile.Context, s string) (int, error) {
	n, err := turnstile.SideEffect(ctx, "pid", func() (int, error) { return os.Getpid(), nil })
	if err != nil {
		return 0, err
	}
	_, _ = turnstile.SideEffect(ctx, "random", roll)
	return turnstile.SideEffect(ctx, "bad", func() (int, error) {
		m, err := charge.Call(ctx, s) // want `durable: turnstile.Activity.Call`
		return n + m, err
	})
}

func roll() (int, error) { return time.Now().Nanosecond(), nil }
