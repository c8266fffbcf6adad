package program

import (
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
)

// waysToWait are the calls that wait for the first of several results, or for all of them.
var waysToWait = [...]string{"select", "selectKeepingLosers", "settle", "any", "asCompleted"}

// waysToCancel are the ways in which the scope of such a call is cancelled.
var waysToCancel = [...]string{"by its timeout", "by a branch", "before the call"}

func (s *Statement) wayToWait() string { return waysToWait[(s.ID+s.Attempts)%len(waysToWait)] }

// withdrawn waits for an activity, and for events that never arrive, in a scope that is
// cancelled after a time. What the call must return depends only on whether the activity
// ended before the cancel, which the activity itself shows.
func (r *interpreter) withdrawn(ctx *engine.Context, s *Statement) (Token, error) {
	inner, cancel := ctx.WithCancel()
	if s.N == 0 {
		inner, cancel = ctx.WithTimeout(s.Duration)
	}
	a := inner.Activity(r.activity(s, 0))
	all := []*engine.Future{inner.ExternalEvent("never"), a, inner.ExternalEvent("never")}
	var branch *engine.Future
	var said Said
	switch s.N {
	case 1:
		branch = ctx.Go(func(c *engine.Context) ([]byte, error) {
			if _, err := c.Await(c.Timer(s.Duration)); err != nil {
				return nil, err
			}
			said = r.says(ctx, s, cancel, all...)
			return nil, nil
		})
	case 2:
		if _, err := ctx.Await(ctx.Timer(s.Duration)); err != nil {
			return Token{}, err
		}
		said = r.says(ctx, s, cancel, all...)
	}
	got, err := waitFor(inner, s.wayToWait(), all)
	t, wrong := r.ofWithdrawn(ctx, inner, s, a, got, err)
	if wrong != "" {
		// An error could look like a cancel, but stuck code is detected.
		panic(fmt.Sprintf("%s in a scope that is cancelled gave %v, %v: %s", s.wayToWait(), got, err, wrong))
	}
	if err := ctx.Err(); err != nil {
		return t, err
	}
	if len(said.Open) == 0 {
		said = r.says(ctx, s, cancel, all...)
	}
	if branch != nil {
		if _, err := ctx.Await(branch); err != nil {
			return t, err
		}
	}
	return t, scopeOver(ctx, said, all...)
}

// waitFor returns the indexes that the call returned, and its error.
func waitFor(ctx *engine.Context, call string, all []*engine.Future) (got []int, err error) {
	i := -1
	switch call {
	case "select", "selectKeepingLosers":
		i, err = ctx.Select(call != "select", all...)
	case "settle":
		if _, err = ctx.Settle(all...); err == nil {
			return []int{0, 1, 2}, nil
		}
	case "any":
		i, _, err = ctx.Any(all...)
	case "asCompleted":
		for i, o := range ctx.AsCompleted(all...) {
			if i < 0 {
				return got, o.Err
			}
			got = append(got, i)
		}
		return got, nil
	}
	if i >= 0 {
		got = []int{i}
	}
	return got, err
}

// ofWithdrawn returns the result of the statement, or an error if the call returned a wrong result.
func (r *interpreter) ofWithdrawn(ctx, inner *engine.Context, s *Statement, a *engine.Future, places []int, err error) (t Token, wrong string) {
	t = Token{K: KindNames[kWithdrawn], V: "cancelled"}
	var cancelled *engine.CancelledError
	came, failed := false, false
	if a.Ready() {
		v, why := ctx.Await(a)
		if came = !errors.As(why, &cancelled); came {
			failed = why != nil
			t.V, _ = got(v, why)
		}
	}
	var want []int
	ends := false // without the cancel
	switch s.wayToWait() {
	case "select", "selectKeepingLosers":
		ends = came
	case "any":
		ends = came && !failed
	case "asCompleted":
		if came {
			want = []int{1}
		}
	}
	if ends {
		want = []int{1}
	}
	switch {
	case !slices.Equal(places, want):
		return t, fmt.Sprintf("want %v", want)
	case ends && err != nil:
		return t, "want no error"
	case !ends && !sameCancel(err, inner.Err()):
		return t, fmt.Sprintf("want the error of the scope, which is %v", inner.Err())
	}
	return t, ""
}

// sameCancel reports whether an error is that of the scope's cancel, for any operation.
func sameCancel(err, scope error) bool {
	var is, want *engine.CancelledError
	return errors.As(err, &is) && errors.As(scope, &want) && is.Reason == want.Reason && is.Timeout == want.Timeout
}
