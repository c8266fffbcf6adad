package kept

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// scope runs an activity in a scope that is cancelled after a timer.
func (r *interpreter) scope(ctx *engine.Context, s *Statement) (token, error) {
	inner, cancel := ctx.WithCancel()
	a := inner.Activity(r.activity(s, 0))
	if _, err := ctx.Await(ctx.Timer(s.duration())); err != nil {
		return token{}, err
	}
	cancel("enough")
	if err := scopeOver(ctx, a); err != nil {
		return token{}, err
	}
	v, err := got(ctx.Await(a))
	if errors.Is(err, engine.ErrCancelled) && ctx.Err() == nil {
		return token{K: "scope", V: "cancelled"}, nil
	}
	return token{K: "scope", V: v}, err
}

// timeout has an activity, a timer, an event that never comes and, if N is 2, a child in a scope with a timeout. It
// awaits only the activity.
func (r *interpreter) timeout(ctx *engine.Context, s *Statement) (token, error) {
	inner, cancel := ctx.WithTimeout(s.duration())
	all := []*engine.Future{inner.Activity(r.activity(s, 0)), inner.Timer(3 * time.Hour), inner.ExternalEvent("never")}
	if s.N == 2 {
		all = append(all, inner.Child(engine.ChildCall{Name: "waits", Input: []byte(`{}`)}))
	}
	t, err := r.await(inner, "scope", all[0])
	switch {
	case ctx.Err() != nil:
		return t, ctx.Err()
	case inner.Err() != nil && err != nil:
		t.V, err = "timeout", nil
	case err != nil:
		return t, err
	}
	cancel("enough")
	return t, scopeOver(ctx, all...)
}

// scopeOver records the operations of a scope that has ended in the history.
func scopeOver(ctx *engine.Context, all ...*engine.Future) error {
	var ids []string
	for _, f := range all {
		if !f.Ready() {
			return fmt.Errorf("event %d is open in a scope that has ended", f.EventID())
		}
		if f.EventID() > 0 {
			ids = append(ids, fmt.Sprint(f.EventID()))
		}
	}
	_, err := ctx.SideEffect("scope over", func() ([]byte, error) { return []byte("[" + strings.Join(ids, ",") + "]"), nil })
	return err
}

// waits waits for an event three times at once, cancels one of the waits, and returns what the others received.
func (r *interpreter) waits(ctx *engine.Context, s *Statement) (token, error) {
	inner, cancel := ctx.WithCancel()
	in := []*engine.Context{ctx, ctx, ctx}
	in[s.Attempts%2] = inner
	var fs []*engine.Future
	for _, c := range in {
		fs = append(fs, c.ExternalEvent(eventName(s.N)))
	}
	gone := fs[s.Attempts%2]
	took := gone.Ready() // the event came before the wait
	cancel("one too many")
	var sub []token
	for _, f := range fs {
		if f == gone && !took {
			continue
		}
		o, err := r.await(ctx, "event", f)
		if err != nil {
			return token{}, err
		}
		sub = append(sub, o)
	}
	return token{K: "several", Sub: [][]token{sub}}, nil
}

// look checks twice whether an event has come, with an activity in between.
func (r *interpreter) look(ctx *engine.Context, s *Statement) (token, error) {
	var sub []token
	for i := range 2 {
		if i > 0 {
			if _, err := got(ctx.Await(ctx.Activity(r.activity(s, i)))); err != nil {
				return token{}, err
			}
		}
		came, err := ctx.EventKept(eventName(s.N), nil)
		if err != nil {
			return token{}, err
		}
		inner, cancel := ctx.WithCancel()
		o := token{K: "none"}
		if came || i == 1 {
			f := inner.ExternalEvent(eventName(s.N))
			switch {
			case f.Ready() != came:
				o.K = fmt.Sprintf("EventKept returned %t, but Ready %t", came, f.Ready())
			case came:
				if o, err = r.await(inner, "event", f); err != nil {
					return token{}, err
				}
			}
		}
		cancel("it has looked")
		if err := ctx.Err(); err != nil {
			return token{}, err
		}
		sub = append(sub, o)
	}
	return token{K: "several", Sub: [][]token{sub}}, nil
}

// hold waits for one event with two selects against a timer, with an activity between them.
func (r *interpreter) hold(ctx *engine.Context, s *Statement) (token, error) {
	inner, cancel := ctx.WithCancel()
	f := inner.ExternalEvent(eventName(s.N))
	all := []*engine.Future{f}
	for i := range 2 {
		timer := inner.Timer(s.duration())
		all = append(all, timer)
		if first, err := inner.Select(true, timer, f); err != nil {
			return token{}, err
		} else if first == 1 {
			break
		}
		if _, err := got(ctx.Await(ctx.Activity(r.activity(s, i)))); err != nil {
			return token{}, err
		}
	}
	t, came := token{K: "timeout"}, f.Ready()
	cancel("enough")
	if err := scopeOver(ctx, all...); err != nil || !came {
		return t, err
	}
	return r.await(ctx, "event", f)
}
