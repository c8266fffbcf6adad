package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Map calls fn for each item, with at most limit calls running at a time, and returns the results
// in the order of the items. When a call ends, the next one starts in the same turn. Map records
// the operations of fn and nothing of its own.
//
//	receipts, err := turnstile.Map(ctx, orders, 3, Charge.Call)
//
// The first failure cancels the running calls, and no other call starts. Map returns the failure as
// an [*ItemError]. [TolerateFailures] allows some failures, and [MapSettled] returns the outcome of
// each item. Map returns after all calls have returned, including the cancelled ones. Without items
// it returns immediately with an empty slice, whatever the limit, so limit may be len(items).
//
// Errors: [*ItemError]; [*InvalidArgumentError] for a limit below 1, before anything is recorded;
// [*CancelledError] when the scope of ctx or the instance is cancelled.
func Map[In, Out any](ctx Context, items []In, limit int, fn func(Context, In) (Out, error), options ...MapOption) ([]Out, error) {
	return mapItems(ctx, "Map", items, limit, fn, options)
}

// ForEach is [Map] for calls without results. It records nothing of its own either.
func ForEach[In any](ctx Context, items []In, limit int, fn func(Context, In) error, options ...MapOption) error {
	var none func(Context, In) (struct{}, error)
	if fn != nil {
		none = func(ctx Context, in In) (struct{}, error) { return struct{}{}, fn(ctx, in) }
	}
	_, err := mapItems(ctx, "ForEach", items, limit, none, options)
	return err
}

// MapSettled is like [Map], but returns the outcome of each item, in the order of the items: the
// failure of an item neither cancels the others nor fails MapSettled. With [TolerateFailures] it
// fails as Map does when more items fail than tolerated. It records nothing of its own.
//
//	outcomes, err := turnstile.MapSettled(ctx, readers, 10, Send.Call)
//
// It returns the errors of [Map].
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

// ItemError is the failure of one item of a [Map], [MapSettled] or [ForEach].
type ItemError struct {
	// Index is the index of the item.
	Index int
	Err   error
}

func (e *ItemError) Error() string { return fmt.Sprintf("item %d: %v", e.Index, e.Err) }

// Unwrap returns the item's own error.
func (e *ItemError) Unwrap() error { return e.Err }

// MapOption is an option of [Map], [MapSettled] and [ForEach].
type MapOption interface{ applyToMap(*mapOptions) }

type mapOptions struct {
	tolerated int
}

// TolerateFailures lets up to n items fail: For the failed items, [Map] returns the zero value, and
// [MapSettled] their errors. If more than n items fail, the call fails with the first failure.
func TolerateFailures(n int) MapOption { return mapOptions{n} }

func (o mapOptions) applyToMap(all *mapOptions) { *all = o }

// mapping is the state of one running Map.
type mapping struct {
	mapOptions
	cancel   func(reason string) error
	next     int // the next item to start
	failures int
	first    *ItemError
	over     error // why no further item starts
}

func mapItems[In, Out any](ctx Context, call string, items []In, limit int, fn func(Context, In) (Out, error), options []MapOption) ([]Out, error) {
	run := ctx.engine(call)
	switch {
	case fn == nil:
		panic(&MisuseError{Call: call, Problem: "the function is nil"})
	case len(items) == 0:
		return []Out{}, nil // as JSON [], not null
	case limit < 1:
		return nil, &InvalidArgumentError{Call: call, Argument: "limit", Problem: fmt.Sprintf("is %d; it must be at least 1", limit)}
	}
	scope, cancel := run.WithCancel()
	m := &mapping{cancel: cancel}
	for _, o := range options {
		o.applyToMap(&m.mapOptions)
	}
	results := make([]Out, len(items))
	// Each branch processes one item after the other, so there are never more branches than running
	// items.
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
	// Map waits even in a cancelled scope, because the cancelled calls may still clean up.
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

// fail records the failure of an item.
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
