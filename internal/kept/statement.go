package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// word returns the implementation of a word; nil for an unknown one.
func word(do string) func(*interpreter, *engine.Context, *Statement) (token, error) {
	switch do {
	case "act", "inline", "policy", "once", "pending", "deadly":
		return (*interpreter).act
	case "timer":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			return r.await(ctx, "timer", ctx.Timer(s.duration()))
		}
	case "until":
		return (*interpreter).until
	case "event":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			return r.await(ctx, "event", ctx.ExternalEvent(eventName(s.N)))
		}
	case "event or timeout":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			return r.first(ctx, ctx.ExternalEvent(eventName(s.N)), ctx.Timer(s.duration()))
		}
	case "race":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			return r.first(ctx, ctx.Activity(r.activity(s, 0)), ctx.Timer(s.duration()))
		}
	case "beat":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			return r.first(ctx, ctx.Activity(r.activity(s, 0)), ctx.Timer(s.duration()+time.Second))
		}
	case "child":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			return r.await(ctx, "child", ctx.Child(r.child(s)))
		}
	case "child within":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			return r.first(ctx, ctx.Child(r.child(s)), ctx.Timer(s.duration()))
		}
	case "open":
		return func(r *interpreter, ctx *engine.Context, s *Statement) (token, error) {
			ctx.Activity(r.activity(s, 0))
			ctx.Timer(s.duration())
			return token{K: "open"}, ctx.Err()
		}
	case "keep":
		return (*interpreter).keep
	case "join", "settle":
		return (*interpreter).settle
	case "any":
		return (*interpreter).any
	case "as completed":
		return (*interpreter).asCompleted
	case "branches":
		return (*interpreter).branches
	case "detach":
		return (*interpreter).detach
	case "system":
		return (*interpreter).system
	case "status":
		return (*interpreter).status
	case "scope":
		return (*interpreter).scope
	case "timeout":
		return (*interpreter).timeout
	case "steps":
		return (*interpreter).steps
	case "patched":
		return (*interpreter).patched
	case "left":
		return (*interpreter).left
	case "tell":
		return (*interpreter).tell
	case "call":
		return (*interpreter).call
	case "waits":
		return (*interpreter).waits
	case "share":
		return (*interpreter).share
	case "look":
		return (*interpreter).look
	case "hold":
		return (*interpreter).hold
	case "saga":
		return (*interpreter).saga
	case "withdrawn":
		return (*interpreter).withdrawn
	}
	return nil
}

// until runs an activity, and then waits until a time after one that it read before the activity.
func (r *interpreter) until(ctx *engine.Context, s *Statement) (token, error) {
	now, err := ctx.Now()
	if err != nil {
		return token{}, err
	}
	if _, err := got(ctx.Await(ctx.Activity(r.activity(s, 0)))); err != nil {
		return token{}, err
	}
	return r.await(ctx, "timer", ctx.TimerAt(now.Add(s.duration()).UnixMilli()))
}

// first waits for f or a timer, and cancels the loser.
func (r *interpreter) first(ctx *engine.Context, f, timeout *engine.Future) (token, error) {
	i, err := ctx.Select(false, timeout, f)
	switch {
	case err != nil:
		return token{}, err
	case !f.Ready() || !timeout.Ready():
		return token{K: "open loser"}, nil
	case i == 0:
		_, err := ctx.Await(timeout)
		return token{K: "timeout"}, err
	}
	return r.await(ctx, "first", f)
}

func (r *interpreter) act(ctx *engine.Context, s *Statement) (token, error) {
	return r.await(ctx, "act", ctx.Activity(r.activity(s, 0)))
}

// keep selects between an activity and a timer, then waits for both.
func (r *interpreter) keep(ctx *engine.Context, s *Statement) (token, error) {
	a, t := ctx.Activity(r.activity(s, 0)), ctx.Timer(s.duration())
	first, err := ctx.Select(true, t, a)
	if err != nil {
		return token{}, err
	}
	if _, err := ctx.Await(t); err != nil {
		return token{}, err
	}
	out, err := r.await(ctx, "act", a)
	if err != nil {
		return out, err
	}
	if again, err := ctx.Select(true, t, a); err != nil || again != first {
		return token{K: "another winner"}, err
	}
	return out, nil
}

func (r *interpreter) settle(ctx *engine.Context, s *Statement) (token, error) {
	outcomes, err := ctx.Settle(r.several(ctx, s)...)
	return r.outcomes(outcomes, err)
}

func (r *interpreter) any(ctx *engine.Context, s *Statement) (token, error) {
	i, v, err := ctx.Any(r.several(ctx, s)...)
	var all *engine.AllFailedError
	if errors.As(err, &all) && ctx.Err() == nil {
		return token{K: "any", V: "!"}, nil
	}
	return token{K: "any", V: fmt.Sprintf("%d:%s", i, text(v))}, err
}

func (r *interpreter) asCompleted(ctx *engine.Context, s *Statement) (token, error) {
	fs := r.several(ctx, s)
	outcomes := make([]engine.Outcome, len(fs))
	for i, o := range ctx.AsCompleted(fs...) {
		if i < 0 {
			return token{}, o.Err
		}
		outcomes[i] = o
	}
	return r.outcomes(outcomes, nil)
}

func (r *interpreter) outcomes(outcomes []engine.Outcome, err error) (token, error) {
	t := token{K: "several"}
	if err != nil {
		return t, err
	}
	var sub []token
	for _, o := range outcomes {
		v, err := got(o.Value, o.Err)
		if err != nil {
			return t, err
		}
		sub = append(sub, token{K: "act", V: v})
	}
	t.Sub = [][]token{sub}
	return t, nil
}

func (r *interpreter) branches(ctx *engine.Context, s *Statement) (token, error) {
	var fs []*engine.Future
	for _, b := range s.Branches {
		fs = append(fs, ctx.Go(func(inner *engine.Context) ([]byte, error) {
			var out []token
			if err := r.block(inner, b, &out); err != nil {
				return nil, err
			}
			return json.Marshal(out)
		}))
	}
	values, err := ctx.Join(fs...)
	t := token{K: "branches"}
	for _, v := range values {
		var sub []token
		if err := json.Unmarshal(v, &sub); err != nil {
			return t, err
		}
		t.Sub = append(t.Sub, sub)
	}
	return t, err
}

func (r *interpreter) system(ctx *engine.Context, s *Statement) (token, error) {
	t := token{K: "system"}
	switch s.N {
	case 0:
		now, err := ctx.Now()
		t.V = now.Format(time.RFC3339Nano)
		return t, err
	case 1:
		id, err := ctx.GUID()
		t.V = id
		return t, err
	default:
		v, err := ctx.SideEffect("draw", func() ([]byte, error) { return []byte(`"drawn"`), nil })
		t.V = text(v)
		return t, err
	}
}

// status sets the custom status and three search attributes: one of its own, one that every status statement overwrites,
// and one that odd statements set and even ones remove.
func (r *interpreter) status(ctx *engine.Context, s *Statement) (token, error) {
	ctx.SetState(history.ListedState, fmt.Appendf(nil, `"hidden round %d statement %d"`, r.round, s.ID))
	set := history.SearchAttributes{
		fmt.Sprintf("s%d", s.ID%10): history.SearchNumberOf(int64(s.ID)),
		"last":                      history.SearchTextOf(fmt.Sprintf("%d.%d", r.round, s.ID)),
		"odd":                       {},
	}
	if s.ID%2 == 1 {
		set["odd"] = history.SearchTextOf("yes")
	}
	if err := ctx.SetSearchAttributes(set); err != nil {
		return token{}, err
	}
	return token{K: "status"}, nil
}
