package engine

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

// earliest returns the index of the future that became ready first in history order, or
// -1 if none is ready (rule 6).
func earliest(fs []*Future) int {
	first := -1
	for i, f := range fs {
		if f != nil && f.state != open && (first < 0 || f.seq < fs[first].seq) {
			first = i
		}
	}
	return first
}

// Select implements rule 8: it returns the index of the future that was ready first,
// whatever its outcome, and cancels the others unless keep is set. In a cancelled scope,
// only a future that was ready before the cancellation can win.
func (c *Context) Select(keep bool, fs ...*Future) (int, error) {
	x := c.x
	co, err := x.enter("Select", "")
	if err != nil {
		return -1, err
	}
	if len(fs) == 0 {
		return -1, fmt.Errorf("select: %w", ErrNothingToWaitFor)
	}
	if err := x.foreign("Select", fs); err != nil {
		return -1, err
	}
	winner := earliest(fs)
	if winner < 0 {
		if err := c.waitFor(co, 1, fs); err != nil {
			return -1, err
		}
		winner = earliest(fs)
	}
	if err := c.scope.outcome(fs[winner]); err != nil {
		return -1, err
	}
	if !keep {
		c.cancelLosers(fs, fs[winner])
	}
	fs[winner].given = true
	return winner, nil
}

// cancelLosers cancels the losers in the order of scheduling, whatever the order of the
// arguments.
func (c *Context) cancelLosers(fs []*Future, winner *Future) {
	losers := make([]*Future, 0, len(fs))
	for _, f := range fs {
		if f != winner && f.state == open {
			losers = append(losers, f)
		}
	}
	slices.SortFunc(losers, func(a, b *Future) int {
		switch {
		case a == b:
			return 0
		case a.before(b):
			return -1
		}
		return 1
	})
	for _, f := range losers {
		f.cancel("another operation of the select was first")
	}
}

// before orders open futures by scheduling; branches come last, in the order of their
// start.
func (f *Future) before(other *Future) bool {
	switch {
	case f.branch != nil && other.branch != nil:
		return f.branch.number < other.branch.number
	case f.branch != nil || other.branch != nil:
		return other.branch != nil
	}
	return f.id < other.id
}

// AllFailedError lists the errors of all operations of an Any, in argument order.
type AllFailedError struct{ Errs []error }

func (e *AllFailedError) Error() string {
	return fmt.Sprintf("all %d failed: %v", len(e.Errs), errors.Join(e.Errs...))
}

func (e *AllFailedError) Unwrap() []error { return e.Errs }

// Any waits for the first of fs that succeeds, and cancels the others. If all fail, it
// returns an *AllFailedError.
func (c *Context) Any(fs ...*Future) (int, []byte, error) {
	x := c.x
	if _, err := x.enter("Any", ""); err != nil {
		return -1, nil, err
	}
	if len(fs) == 0 {
		return -1, nil, fmt.Errorf("any: %w", ErrNothingToWaitFor)
	}
	if err := x.foreign("Any", fs); err != nil {
		return -1, nil, err
	}
	all := x.collect(fs)
	defer all.close()
	for range fs {
		i, err := all.next("Any", c)
		if err != nil {
			return -1, nil, err
		}
		if fs[i].err == nil {
			c.cancelLosers(fs, fs[i])
			return i, fs[i].give().Value, nil
		}
	}
	failed := &AllFailedError{}
	for _, f := range fs {
		failed.Errs = append(failed.Errs, f.err)
	}
	return -1, nil, failed
}

// AsCompleted yields the index and outcome of each of fs in history order. If the loop
// ends early, the other futures stay open and can still be awaited. If the scope is
// cancelled, AsCompleted yields index -1 with that error and ends.
func (c *Context) AsCompleted(fs ...*Future) iter.Seq2[int, Outcome] {
	return func(yield func(int, Outcome) bool) {
		x := c.x
		err := x.foreign("AsCompleted", fs)
		if err == nil && !x.owned() {
			err = x.notOwned("AsCompleted")
		}
		if err != nil {
			yield(-1, Outcome{Err: err})
			return
		}
		all := x.collect(fs)
		defer all.close()
		for range fs {
			i, err := all.next("AsCompleted", c)
			if err != nil {
				yield(-1, Outcome{Err: err})
				return
			}
			if !yield(i, fs[i].give()) {
				return
			}
		}
	}
}
