// Package order lets the order of maps reach durable calls, or not.
package order

import (
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"example.com/shop/helpers"
	"github.com/turnstile-go/turnstile"
)

var (
	charge = turnstile.NewActivity[string, int]("Charge")
	all    = turnstile.NewActivity[[]string, int]("All")
	report = turnstile.NewOrchestration[map[string]int, []string]("Report")
	_      = report.Implement(output)
)

func direct(ctx turnstile.Context, m map[string]int) error {
	for k := range m { // want `maporder: the order of a map decides the order of durable calls: turnstile.Activity.Call, at order.go:24; range over the sorted keys: for _, k := range slices.Sorted\(maps.Keys\(m\)\)`
		if _, err := charge.Call(ctx, k); err != nil {
			return err
		}
	}
	for k := range maps.Keys(m) { // want `maporder: the order of a map decides`
		charge.Start(ctx, k)
	}
	pay := func(k string) { charge.Start(ctx, k) }
	for k := range m { // want `maporder: the order of a map decides`
		pay(k)
	}
	for k := range m { // want `maporder: the order of a map decides the order of durable calls: order.helper`
		helper(ctx, k)
	}
	for k := range m { // want `maporder: .* durable calls: turnstile.SideEffect`
		_, _ = turnstile.SideEffect(ctx, "n", func() (int, error) { return len(k), nil })
	}
	var undo []func(turnstile.Context) error
	add := func(fn func(turnstile.Context) error) { undo = append(undo, fn) }
	for k := range m { // want `maporder: .* durable calls: add`
		add(func(ctx turnstile.Context) error { _, err := charge.Call(ctx, k); return err })
	}
	return nil
}

func helper(ctx turnstile.Context, k string) { deeper(ctx, k) }

func deeper(ctx turnstile.Context, k string) { charge.Start(ctx, k) }

func logs(ctx turnstile.Context, k string) { turnstile.Logger(ctx).Info(k) }

func parameter[M ~map[string]int](ctx turnstile.Context, m M) {
	for k := range m { // want `maporder: the order of a map decides`
		charge.Start(ctx, k)
	}
}

// kept has its Context in a field.
type kept struct{ ctx turnstile.Context }

func (s *kept) charge(k string) { charge.Start(s.ctx, k) }

func (s *kept) each(m map[string]int) {
	for k := range m { // want `maporder: the order of a map decides the order of durable calls: order.kept.charge`
		s.charge(k)
	}
}

var failing = report.Implement(func(ctx turnstile.Context, m map[string]int) ([]string, error) {
	var all []error
	for k := range m {
		all = append(all, errors.New(k))
	}
	return nil, errors.Join(all...) // want `maporder: the order of a map reaches the output`
})

func byValue(ctx turnstile.Context, m map[string]int) error {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	_, _ = all.Call(ctx, keys) // want `maporder: the order of a map \(of order.go:82\) reaches a durable call: turnstile.Activity.Call`
	for _, k := range keys {   // want `maporder: the order of a map \(of order.go:82\) decides the order`
		charge.Start(ctx, k)
	}
	text := ""
	for k := range m {
		text += k
	}
	_, _ = charge.Call(ctx, text)                      // want `maporder: `
	_, _ = all.Call(ctx, slices.Collect(maps.Keys(m))) // want `maporder: the order of a map reaches a durable call`
	other := helpers.Keys(m)
	_, _ = charge.Call(ctx, strings.Join(other, ",")) // want `maporder: `
	var batch struct{ keys []string }
	for k := range m {
		batch.keys = append(batch.keys, k)
	}
	_, _ = all.Call(ctx, batch.keys) // want `maporder: `
	return nil
}

func output(ctx turnstile.Context, m map[string]int) ([]string, error) {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	return keys, nil // want `maporder: the order of a map reaches the output of the orchestration, which is recorded`
}

func good(ctx turnstile.Context, m map[string]int) (int, error) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		charge.Start(ctx, k)
	}
	var keys, others []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		charge.Start(ctx, k)
	}
	for k := range m {
		others = append(others, k)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(others)))
	_, _ = all.Call(ctx, others)

	sum, groups := 0, map[string][]string{}
	for k, n := range m {
		sum += n
		groups[k] = append(groups[k], k)
	}
	for range m { // The number of iterations does not depend on the order.
		charge.Start(ctx, "same")
	}
	_, _ = all.Call(ctx, groups["a"])
	log := turnstile.Logger(ctx)
	for k := range m {
		log.Info(k)
		logs(ctx, k)
	}
	first := helpers.Keys(m)
	slices.Sort(first)
	_, _ = all.Call(ctx, first)
	return sum, nil
}

func nothingRecorded(ctx turnstile.Context, m map[string]int) {
	for k := range m {
		turnstile.AfterCommit(ctx, func() { delete(m, k) })
	}
}
