package kept

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// companions are the orchestrations that programs interact with.
func companions() []engine.Orchestration {
	return []engine.Orchestration{
		{Name: "listens", Func: listens, Source: "kept"},
		{Name: "waits", Func: waitsForEver, Source: "kept"},
		{Name: "answers", Func: answers, Source: "kept"},
		{Name: "shared", Func: shared, Source: "kept"},
	}
}

// listens returns the first event that it receives, or "told twice" if it receives a second one within an hour.
func listens(ctx *engine.Context, _ []byte) ([]byte, error) {
	first, err := ctx.Await(ctx.ExternalEvent("told"))
	if err != nil {
		return nil, err
	}
	if winner, err := ctx.Select(false, ctx.Timer(time.Hour), ctx.ExternalEvent("told")); err != nil || winner == 1 {
		return []byte(`"told twice"`), err
	}
	return first, nil
}

// waitsForEver ends only if another instance or an operator ends it.
func waitsForEver(ctx *engine.Context, _ []byte) ([]byte, error) {
	ctx.Activity(engine.ActivityCall{Name: "work", Input: []byte(`{"hidden":998}`)})
	return ctx.Await(ctx.ExternalEvent("never"))
}

// caller is the instance to answer, and the event to raise.
type caller struct {
	Instance string `json:"instance"`
	Event    string `json:"event"`
}

// answers sends its caller an event, and waits until it is cancelled.
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

// shared is a child of several parents under one id. It runs for a while and continues as new once.
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

// below returns the id of an instance that a statement starts under a name of its own.
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

// left starts a child that still runs when its parent ends, and that ends with its parent.
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

// call waits for the answer of another instance, and then cancels it.
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

// share waits for an instance that other programs also wait for.
func (r *interpreter) share(ctx *engine.Context, s *Statement) (token, error) {
	child := ctx.Child(engine.ChildCall{Name: "shared", Instance: fmt.Sprintf("shared%d", s.N), Input: []byte(`{}`), UseExisting: true})
	if s.Fails > 0 {
		return r.first(ctx, child, ctx.Timer(s.duration()))
	}
	return r.await(ctx, "share", child)
}
