// Package branches shares variables between branches, in ways that go wrong
// and in ways that don't.
package branches

import (
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/engine"
)

var charge = turnstile.NewActivity[string, int]("Charge")

func shared(run *engine.Context, orders []string) {
	var err error
	total, last, results := 0, "", make([]string, len(orders))
	for i, order := range orders {
		run.Go(func(branch *engine.Context) ([]byte, error) {
			time.Sleep(1)       // want `clock: time.Sleep`
			last = order        // want `capture: the captured variable last is written, and each of these branches writes it: its final value depends on which of them runs last; give the branch a variable of its own, or let it return its result`
			results[i] = order  // Each branch has an element of its own.
			total += len(order) // A sum is the same in any order.
			mine := order
			mine += last
			return []byte(mine), nil
		})
	}
	run.Go(func(*engine.Context) ([]byte, error) {
		err = nil // want `capture: the captured variable err is written, and the branch of branches.go:32 uses it too: its final value depends on which of them runs last`
		return nil, nil
	})
	run.Go(func(*engine.Context) ([]byte, error) { return nil, err })
}

func reused(run *engine.Context, orders []string) {
	var order string
	for _, order = range orders {
		run.Go(func(*engine.Context) ([]byte, error) {
			return []byte(order), nil // want `capture: the captured variable order gets another value in each iteration of the loop, before the branch first runs`
		})
	}
	n := 0
	for range orders {
		n++
		fn := func(*engine.Context) ([]byte, error) {
			return make([]byte, n), nil // want `capture: the captured variable n gets another value`
		}
		run.Go(fn)
	}
}

func good(run *engine.Context, ctx turnstile.Context, orders []string) {
	for i := range orders {
		run.Go(func(*engine.Context) ([]byte, error) { return []byte(orders[i]), nil })
	}
	// A single branch may pass its result in this way.
	result := 0
	one := run.Go(func(*engine.Context) ([]byte, error) {
		result = 1
		return nil, nil
	})
	_, _ = run.Await(one)
	_, _ = charge.Call(ctx, orders[result])
	// A function that is called immediately is not a branch.
	step := func(ctx turnstile.Context, order string) (err error) {
		result, err = charge.Call(ctx, order)
		return err
	}
	for _, order := range orders {
		_ = step(ctx, order)
	}
}

// The code of a go statement is not checked.
func started(run *engine.Context, ctx turnstile.Context, orders []string) error {
	var err error
	go func() { // want `goroutine: a go statement starts work that replay does not control`
		for _, order := range orders {
			run.Go(func(*engine.Context) ([]byte, error) {
				_, err = charge.Call(ctx, order)
				return nil, err
			})
		}
	}()
	return err
}
