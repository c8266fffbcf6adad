package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Companions are orchestrations that programs interact with. The end of a companion shows
// whether the action of its program took effect, and only once.

// Companions returns the orchestrations that each build registers in addition to the
// programs.
func Companions() []engine.Orchestration {
	return []engine.Orchestration{
		{Name: "listens", Func: listens, Source: "simulation"},
		{Name: "waits", Func: waitsForEver, Source: "simulation"},
		{Name: "answers", Func: answers, Source: "simulation"},
		{Name: "shared", Func: shared, Source: "simulation"},
		{Name: "lasts", Func: lasts, Source: "simulation"},
		{Name: "serves", Func: serves, Source: "simulation"},
		{Name: "helps", Func: helps, Source: "simulation"},
	}
}

// listens returns the event that it receives, unless it is a different one.
func listens(ctx *engine.Context, _ []byte) ([]byte, error) {
	told, err := ctx.Await(ctx.ExternalEventIf("told", accepts))
	if err != nil {
		return nil, err
	}
	if first, err := ctx.Select(false, ctx.Timer(time.Hour), ctx.ExternalEventIf("told", accepts)); err != nil || first == 1 {
		return []byte(`"told twice"`), err
	}
	return told, nil
}

// waitsForEver ends only if it is cancelled or terminated.
func waitsForEver(ctx *engine.Context, _ []byte) ([]byte, error) {
	ctx.Activity(engine.ActivityCall{Name: "work", Input: []byte(`{"hidden":998}`)})
	return ctx.Await(ctx.ExternalEvent("never"))
}

// lasts is left open by its parent, and ends long after the parent has ended.
func lasts(ctx *engine.Context, _ []byte) ([]byte, error) {
	_, err := ctx.Await(ctx.Timer(17 * 24 * time.Hour))
	return []byte(`"lasted"`), err
}

// helps is the child of a handler of updates.
func helps(ctx *engine.Context, _ []byte) ([]byte, error) {
	if _, err := got(ctx.Await(ctx.Activity(engine.ActivityCall{Name: "work", Input: []byte(`{"hidden":997}`)}))); err != nil {
		return nil, err
	}
	return []byte(`"helped"`), nil
}

// caller is the instance that has to be answered, and the event for the answer.
type caller struct {
	Instance string `json:"instance"`
	Event    string `json:"event"`
	Wrong    bool   `json:"wrong,omitempty"` // data that cannot be decoded, first
}

// answers signals its caller that it runs, and waits to be cancelled.
func answers(ctx *engine.Context, input []byte) ([]byte, error) {
	var to caller
	if err := json.Unmarshal(input, &to); err != nil {
		return nil, err
	}
	if to.Wrong {
		if err := ctx.RaiseEvent(to.Instance, to.Event, WrongData("wrong "+ctx.Info().Instance), nil); err != nil {
			return nil, err
		}
	}
	if err := ctx.RaiseEvent(to.Instance, to.Event, fmt.Appendf(nil, "%q", "here "+ctx.Info().Instance), nil); err != nil {
		return nil, err
	}
	_, err := ctx.Await(ctx.Timer(20 * 24 * time.Hour)) // Its caller may end before it gets that far.
	return []byte(`"forgotten"`), err
}

// companion runs a statement that interacts with a companion.
func (r *interpreter) companion(ctx *engine.Context, s *Statement) (Token, error) {
	t := Token{K: KindNames[s.Kind]}
	info := ctx.Info()
	instance := info.Instance + "+" + strconv.FormatInt(info.ExecutionID, 10) + "." + strconv.Itoa(s.ID)
	switch s.Kind {
	case kLeft:
		if s.Lasts {
			ctx.Child(engine.ChildCall{Name: "lasts", Input: []byte(`{}`)})
			return t, ctx.Err()
		}
		onEnd := history.ParentEndCancel
		if s.N == 1 {
			onEnd = history.ParentEndTerminate
		}
		ctx.Child(engine.ChildCall{Name: "waits", Input: []byte(`{}`), OnParentEnd: onEnd})
		return t, ctx.Err()
	case kTell:
		if _, err := ctx.Detach(engine.ChildCall{Name: "listens", Input: []byte(`{}`), Instance: instance}); err != nil {
			return t, err
		}
		if s.Rejects {
			if err := ctx.RaiseEvent(instance, "told", WrongData("wrong "+instance), nil); err != nil {
				return t, err
			}
		}
		return t, ctx.RaiseEvent(instance, "told", fmt.Appendf(nil, "%q", "told "+instance), nil)
	default:
		to := caller{info.Instance, fmt.Sprintf("answer%d.%d", info.ExecutionID, s.ID), s.Rejects}
		input, _ := json.Marshal(to)
		if _, err := ctx.Detach(engine.ChildCall{Name: "answers", Input: input, Instance: instance}); err != nil {
			return t, err
		}
		answer, err := ctx.Await(ctx.ExternalEventIf(to.Event, accepts))
		if err != nil {
			return t, err
		}
		t.V = Text(answer)
		return t, ctx.CancelInstance(instance, r.program.text("enough", s.ID, s.Duration, r.round))
	}
}

// Have reports whether a program has a statement of such a kind.
func (ps Programs) Have(such func(Kind) bool) bool {
	return slices.ContainsFunc(ps, func(p *Program) bool { return has(p.Body, such) })
}

// has reports whether a block has a statement of such a kind.
func has(b []*Statement, such func(Kind) bool) bool {
	for _, s := range b {
		if such(s.Kind) {
			return true
		}
		for _, branch := range s.Branches {
			if has(branch, such) {
				return true
			}
		}
	}
	return false
}
