package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Map calls fn for each item, never for more than limit of them at once, and
// returns the results in the order of the items. The next one starts in the
// turn in which one ends. Map records what fn starts and nothing of its own.
//
//	receipts, err := turnstile.Map(ctx, orders, 3, Charge.Call)
//
// The first failure cancels the calls under way, no other begins, and it is
// returned as an [*ItemError]; [TolerateFailures] allows for some, and
// [MapSettled] lets each item end for itself. Map returns when all calls have
// returned, the cancelled calls included. Over nothing it returns nothing at once,
// whatever the limit, which may be len(items).
//
// Errors: [*ItemError], [*InvalidArgumentError] for a limit below 1 before
// anything is recorded, [*CancelledError] when the scope of ctx or the instance
// is cancelled.
func Map[In, Out any](ctx Context, items []In, limit int, fn func(Context, In) (Out, error), options ...MapOption) ([]Out, error) {
	return mapItems(ctx, "Map", items, limit, fn, options)
}

// ForEach is Map for calls without results. It records nothing itself either.
func ForEach[In any](ctx Context, items []In, limit int, fn func(Context, In) error, options ...MapOption) error {
	var none func(Context, In) (struct{}, error)
	if fn != nil {
		none = func(ctx Context, in In) (struct{}, error) { return struct{}{}, fn(ctx, in) }
	}
	_, err := mapItems(ctx, "ForEach", items, limit, none, options)
	return err
}

// MapSettled is Map that returns how each item ended, in the order of the items:
// the failure of one neither cancels the others nor fails MapSettled. With
// [TolerateFailures] it fails as Map does after more failures than that. It records
// nothing itself.
//
//	outcomes, err := turnstile.MapSettled(ctx, readers, 10, Send.Call)
//
// Errors as for [Map].
func MapSettled[In, Out any](ctx Context, items []In, limit int, fn func(Context, In) (Out, error), options ...MapOption) ([]Outcome[Out], error) {
	outcomes := make([]Outcome[Out], len(items))
	var kept func(Context, int) (Out, error)
	if fn != nil {
		kept = func(ctx Context, i int) (Out, error) {
			value, err := fn(ctx, items[i])
			if err != nil {
				outcomes[i].Err = err
				return value, err
			}
			outcomes[i].Value = value
			return value, nil
		}
	}
	places := make([]int, len(items))
	for i := range places {
		places[i] = i
	}
	all := append([]MapOption{TolerateFailures(len(items))}, options...)
	if _, err := mapItems(ctx, "MapSettled", places, limit, kept, all); err != nil {
		return nil, err
	}
	return outcomes, nil
}

// ItemError is the failure of one item of a Map, [MapSettled] or [ForEach].
type ItemError struct {
	// Index of the item.
	Index int
	Err   error
}

func (e *ItemError) Error() string { return fmt.Sprintf("item %d: %v", e.Index, e.Err) }

// Unwrap returns the item's own error.
func (e *ItemError) Unwrap() error { return e.Err }

// MapOption is an option of Map, [MapSettled] and [ForEach].
type MapOption interface{ applyToMap(*mapOptions) }

type mapOptions struct {
	tolerated int
}

// TolerateFailures lets up to n items fail: [Map] returns the zero value for them,
// and [MapSettled] their errors. With one more than n the call fails with the first
// of them.
func TolerateFailures(n int) MapOption { return mapOptions{n} }

func (o mapOptions) applyToMap(all *mapOptions) { *all = o }

// mapping is one Map under way.
type mapping struct {
	mapOptions
	cancel   func(reason string) error
	next     int // item to begin
	failures int
	first    *ItemError
	over     error // why no other item begins
}

func mapItems[In, Out any](ctx Context, call string, items []In, limit int, fn func(Context, In) (Out, error), options []MapOption) ([]Out, error) {
	run := ctx.engine(call)
	switch {
	case fn == nil:
		panic(&MisuseError{Call: call, Problem: "the function is nil"})
	case len(items) == 0:
		return []Out{}, nil // as JSON [], not null
	case limit < 1:
		return nil, &InvalidArgumentError{Call: call, Argument: "limit", Problem: fmt.Sprintf("is %d, it must be at least 1", limit)}
	}
	scope, cancel := run.WithCancel()
	m := &mapping{cancel: cancel}
	for _, o := range options {
		o.applyToMap(&m.mapOptions)
	}
	results := make([]Out, len(items))
	// Each branch takes one item after the other, so that there are never more
	// branches than items under way.
	worker := func(c *engine.Context) ([]byte, error) {
		for m.next < len(items) && m.over == nil {
			if err := c.Err(); err != nil {
				m.over = err
				break
			}
			i := m.next
			m.next++
			result, err := fn(Context{c}, items[i])
			if err == nil {
				results[i] = result
				continue
			}
			m.fail(c, &ItemError{i, err})
		}
		return nil, nil
	}
	from := origin()
	workers := make([]*engine.Future, min(limit, len(items)))
	for i := range workers {
		workers[i] = scope.GoFrom(from, worker)
	}
	// A cancelled scope is no reason to leave calls behind that clean up.
	shielded := run.Shield()
	_, err := shielded.Settle(workers...)
	shielded.Release()
	scope.Release()
	if err != nil {
		return nil, err
	}
	if m.over != nil {
		return nil, m.over
	}
	return results, nil
}

// fail notes the failure of an item.
func (m *mapping) fail(c *engine.Context, failure *ItemError) {
	if m.over != nil {
		return
	}
	if err := c.Err(); err != nil {
		m.over = err
		return
	}
	if m.first == nil {
		m.first = failure
	}
	if m.failures++; m.failures > m.tolerated {
		m.over = m.first
		m.cancel(fmt.Sprintf("item %d failed", failure.Index))
	}
}
