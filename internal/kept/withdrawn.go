package kept

import (
	"errors"

	"github.com/turnstile-go/turnstile/engine"
)

// withdrawn waits for an activity, and for events that never come, in a scope that is cancelled by its timeout, by a
// branch after a time, or before the call.
func (r *interpreter) withdrawn(ctx *engine.Context, s *Statement) (token, error) {
	t := token{K: "withdrawn", V: "cancelled"}
	inner, cancel := ctx.WithCancel()
	if s.N == 0 {
		inner, cancel = ctx.WithTimeout(s.duration())
	}
	a := inner.Activity(r.activity(s, 0))
	all := []*engine.Future{inner.ExternalEvent("never"), a, inner.ExternalEvent("never")}
	var branch *engine.Future
	switch s.N {
	case 1:
		branch = ctx.Go(func(c *engine.Context) ([]byte, error) {
			if _, err := c.Await(c.Timer(s.duration())); err != nil {
				return nil, err
			}
			return nil, cancel("enough")
		})
	case 2:
		if _, err := ctx.Await(ctx.Timer(s.duration())); err != nil {
			return token{}, err
		}
		cancel("enough")
	}
	switch (s.ID + s.Attempts) % 5 {
	case 0:
		_, _ = inner.Select(false, all...)
	case 1:
		_, _ = inner.Select(true, all...)
	case 2:
		_, _ = inner.Settle(all...)
	case 3:
		_, _, _ = inner.Any(all...)
	case 4:
		for range inner.AsCompleted(all...) {
			continue // The loop ends with the cancel.
		}
	}
	if a.Ready() {
		var cancelled *engine.CancelledError
		if v, err := ctx.Await(a); !errors.As(err, &cancelled) {
			t.V, _ = got(v, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return t, err
	}
	cancel("enough")
	if branch != nil {
		if _, err := ctx.Await(branch); err != nil {
			return t, err
		}
	}
	return t, scopeOver(ctx, all...)
}
