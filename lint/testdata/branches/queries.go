package branches

import (
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/engine"
)

type cart struct{ total int }

var shown = turnstile.NewState[string]("shown")

var left = turnstile.NewQuery[string, int]("left")

func asked(ctx turnstile.Context, orders []string) (int, error) {
	done, seen, of, mine := 0, map[string]bool{}, cart{}, &cart{}
	var last string
	left.Handle(ctx, func(order string) (int, error) {
		own := len(orders) - done // Reading is what a handler is for.
		own++
		_ = time.Now()     // It is not replayed.
		last = order       // want `capture: the captured variable last is written by the handler of a query, which runs in a copy of the execution: the write is lost; only read variables in a handler, and return the result`
		done++             // want `capture: the captured variable done is written by the handler`
		seen[order] = true // want `capture: the captured variable seen is written by the handler`
		of.total += own    // want `capture: the captured variable of is written by the handler`
		mine.total = own   // want `capture: the captured variable mine is written by the handler`
		return own, nil
	})
	left.Handle(ctx, func(order string) (int, error) {
		return charge.Call(ctx, order) // want `durable: turnstile.Activity.Call is a durable call, which replay expects only in orchestration code`
	})
	left.Handle(ctx, func(order string) (int, error) {
		return 0, shown.Set(ctx, order) // want `durable: turnstile.State.Set changes what the instance shows, which only orchestration code can`
	})
	for _, order := range orders {
		if err := shown.Set(ctx, order); err != nil {
			return 0, err
		}
		n, err := charge.Call(ctx, order)
		if err != nil {
			return 0, err
		}
		done += n
	}
	_, _ = last, seen
	return done + of.total + mine.total, nil
}

func askedEngine(run *engine.Context) {
	n := 0
	_ = run.HandleQuery("n", func([]byte) ([]byte, error) {
		n = 1 // want `capture: the captured variable n is written by the handler`
		return make([]byte, n), nil
	})
}
