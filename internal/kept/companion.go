package kept

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// companions are orchestrations that programs have to do with.
func companions() []engine.Orchestration {
	return []engine.Orchestration{
		{Name: "listens", Func: listens, Source: "kept"},
		{Name: "waits", Func: waitsForEver, Source: "kept"},
		{Name: "answers", Func: answers, Source: "kept"},
		{Name: "shared", Func: shared, Source: "kept"},
	}
}

// listens returns the event that it is told, unless it is told another.
func listens(ctx *engine.Context, _ []byte) ([]byte, error) {
	told, err := ctx.Await(ctx.ExternalEvent("told"))
	if err != nil {
		return nil, err
	}
	if first, err := ctx.Select(false, ctx.Timer(time.Hour), ctx.ExternalEvent("told")); err != nil || first == 1 {
		return []byte(`"told twice"`), err
	}
	return told, nil
}

// waitsForEver ends only if somebody ends it.
func waitsForEver(ctx *engine.Context, _ []byte) ([]byte, error) {
	ctx.Activity(engine.ActivityCall{Name: "work", Input: []byte(`{"hidden":998}`)})
	return ctx.Await(ctx.ExternalEvent("never"))
}

// caller is who an instance has to answer, and by which event.
type caller struct {
	Instance string `json:"instance"`
	Event    string `json:"event"`
}

// answers tells its caller that it is there, and waits to be cancelled.
func answers(ctx *engine.Context, input []byte) ([]byte, error) {
	var to caller
	if err := json.Unmarshal(input, &to); err != nil {
		return nil, err
	}
	if err := ctx.RaiseEvent(to.Instance, to.Event, fmt.Appendf(nil, "%q", "here "+ctx.Info().Instance), nil); err != nil {
		return nil, err
	}
	_, err := ctx.Await(ctx.Timer(20 * 24 * time.Hour))
	return []byte(`"forgotten"`), err
}

// shared is wanted by several parents under one id; it takes a while, and
// continues as new in between.
func shared(ctx *engine.Context, input []byte) ([]byte, error) {
	first := string(input) == `{}`
	d := 40 * time.Minute
	if first {
		d = 30 * time.Second
	}
	if _, err := ctx.Await(ctx.Timer(d)); err != nil {
		return nil, err
	}
	if first {
		return nil, ctx.ContinueAsNew("", []byte(`{"round":1}`), nil)
	}
	return fmt.Appendf(nil, "%q", "shared "+ctx.Info().Instance), nil
}

func (r *interpreter) child(s *Statement) engine.ChildCall {
	return engine.ChildCall{Name: r.programs[s.N].Name, Version: s.Version, Input: []byte(`{}`)}
}

// below is the id of an instance that a statement starts under a name of its own.
func below(ctx *engine.Context, s *Statement) string {
	info := ctx.Info()
	return fmt.Sprintf("%s+%d.%d", info.Instance, info.ExecutionID, s.ID)
}

func (r *interpreter) detach(ctx *engine.Context, s *Statement) (token, error) {
	call := r.child(s)
	call.Instance = below(ctx, s)
	_, err := ctx.Detach(call)
	return token{K: "detach"}, err
}

// left is a child that is left when its parent ends, and ends with it.
func (r *interpreter) left(ctx *engine.Context, s *Statement) (token, error) {
	onEnd := history.ParentEndCancel
	if s.N == 1 {
		onEnd = history.ParentEndTerminate
	}
	ctx.Child(engine.ChildCall{Name: "waits", Input: []byte(`{}`), OnParentEnd: onEnd})
	return token{K: "left"}, ctx.Err()
}

func (r *interpreter) tell(ctx *engine.Context, s *Statement) (token, error) {
	instance := below(ctx, s)
	if _, err := ctx.Detach(engine.ChildCall{Name: "listens", Input: []byte(`{}`), Instance: instance}); err != nil {
		return token{}, err
	}
	return token{K: "tell"}, ctx.RaiseEvent(instance, "told", fmt.Appendf(nil, "%q", "told "+instance), nil)
}

// call has another instance answer, and cancels it then.
func (r *interpreter) call(ctx *engine.Context, s *Statement) (token, error) {
	info, instance := ctx.Info(), below(ctx, s)
	to := caller{info.Instance, fmt.Sprintf("answer%d.%d", info.ExecutionID, s.ID)}
	input, _ := json.Marshal(to)
	if _, err := ctx.Detach(engine.ChildCall{Name: "answers", Input: input, Instance: instance}); err != nil {
		return token{}, err
	}
	answer, err := ctx.Await(ctx.ExternalEvent(to.Event))
	if err != nil {
		return token{}, err
	}
	return token{K: "call", V: text(answer)}, ctx.CancelInstance(instance, "enough")
}

// share waits for an instance that others want too.
func (r *interpreter) share(ctx *engine.Context, s *Statement) (token, error) {
	child := ctx.Child(engine.ChildCall{Name: "shared", Instance: fmt.Sprintf("shared%d", s.N), Input: []byte(`{}`), UseExisting: true})
	if s.Fails > 0 {
		return r.first(ctx, child, ctx.Timer(s.duration()))
	}
	return r.await(ctx, "share", child)
}
