package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func (r *interpreter) statement(ctx *engine.Context, s *Statement) (Token, error) {
	switch s.Kind {
	case kAct:
		return r.await(ctx, "act", ctx.Activity(r.activity(s, 0)))
	case kInline:
		call, err := r.inline(ctx, s, 0)
		if err != nil {
			return Token{K: "act"}, err
		}
		return r.await(ctx, "act", ctx.Activity(call))
	case kTimer:
		return r.await(ctx, "timer", ctx.Timer(s.Duration))
	case kUntil:
		return r.until(ctx, s)
	case kLosers:
		return r.losers(ctx, s)
	case kEvent:
		return decoded(r.await(ctx, "event", ctx.ExternalEventIf(EventName(s.N), r.acceptor(s))))
	case kEventOr:
		return decoded(r.first(ctx, ctx.ExternalEventIf(EventName(s.N), r.acceptor(s)), ctx.Timer(s.Duration)))
	case kRace:
		return r.first(ctx, ctx.Activity(r.activity(s, 0)), ctx.Timer(s.Duration))
	case kWithin:
		return r.first(ctx, ctx.Child(r.child(s)), ctx.Timer(s.Duration))
	case kChild:
		return r.await(ctx, "child", ctx.Child(r.child(s)))
	case kKeep:
		a, t := ctx.Activity(r.activity(s, 0)), ctx.Timer(s.Duration)
		first, err := ctx.Select(r.defect.Kind != "cancels", t, a)
		if err != nil {
			return Token{}, err
		}
		if r.defect.Kind == "cancels" {
			panic("this build has cancelled what it may not")
		}
		if _, err := ctx.Await(t); err != nil {
			return Token{}, err
		}
		out, err := r.await(ctx, "act", a)
		if err != nil {
			return out, err
		}
		// The first stays first, also when both are ready.
		if again, err := ctx.Select(true, t, a); err != nil || again != first {
			return Token{K: "another winner"}, err
		}
		return out, nil
	case kJoin, kSettle:
		outcomes, err := ctx.Settle(r.several(ctx, s)...)
		return r.outcomes(outcomes, err)
	case kAny:
		i, v, err := ctx.Any(r.several(ctx, s)...)
		var all *engine.AllFailedError
		if errors.As(err, &all) && ctx.Err() == nil {
			return Token{K: "any", V: "!"}, nil
		}
		return Token{K: "any", V: fmt.Sprintf("%d:%s", i, Text(v))}, err
	case kCompleted:
		fs := r.several(ctx, s)
		outcomes := make([]engine.Outcome, len(fs))
		for i, o := range ctx.AsCompleted(fs...) {
			if i < 0 {
				return Token{}, o.Err
			}
			outcomes[i] = o
		}
		return r.outcomes(outcomes, nil)
	case kBranches:
		return r.branches(ctx, s)
	case kDetach:
		info := ctx.Info()
		_, err := ctx.Detach(engine.ChildCall{Name: r.programs[s.N].Name, Version: s.Version, Input: r.input(s, []byte(`{}`), 0),
			Instance: fmt.Sprintf("%s+%d.%d", info.Instance, info.ExecutionID, s.ID)})
		return Token{K: "detach"}, err
	case kSystem:
		return r.system(ctx, s)
	case kStatus:
		ctx.SetState(history.ListedState, fmt.Appendf(nil, `"hidden round %d statement %d"`, r.round, s.ID))
		if err := ctx.SetSearchAttributes(searched(r.round, s)); err != nil {
			return Token{}, err
		}
		return Token{K: "status"}, nil
	case kScope:
		return r.scope(ctx, s)
	case kOpen:
		ctx.Activity(r.activity(s, 0))
		ctx.Timer(s.Duration)
		return Token{K: "open"}, ctx.Err()
	case kWaits:
		return r.threeWaits(ctx, s)
	case kPolicy, kOnce, kPending, kDeadly:
		return r.await(ctx, "act", ctx.Activity(r.activity(s, 0)))
	case kBeat:
		return r.first(ctx, ctx.Activity(r.activity(s, 0)), ctx.Timer(s.Duration+time.Second))
	case kSteps:
		return r.steps(ctx, s)
	case kTimeout:
		return r.timeout(ctx, s)
	case kLeft, kTell, kCall:
		return r.companion(ctx, s)
	case KindPatched:
		return r.patched(ctx, s)
	case kLook:
		return r.look(ctx, s)
	case kHold:
		return r.hold(ctx, s)
	case kSaga:
		return r.saga(ctx, s)
	case kShare:
		return r.share(ctx, s)
	case kWithdrawn:
		return r.withdrawn(ctx, s)
	}
	panic("unknown statement")
}

func (r *interpreter) child(s *Statement) engine.ChildCall {
	return engine.ChildCall{Name: r.programs[s.N].Name, Version: s.Version, Input: r.input(s, []byte(`{}`), 0)}
}

func (r *interpreter) first(ctx *engine.Context, f, timeout *engine.Future) (Token, error) {
	i, err := ctx.Select(false, timeout, f)
	if err != nil {
		return Token{}, err
	}
	if !f.Ready() || !timeout.Ready() {
		return Token{K: "open loser"}, nil
	}
	if i == 0 {
		_, err := ctx.Await(timeout)
		return Token{K: "timeout"}, err
	}
	return r.await(ctx, "first", f)
}

func (r *interpreter) outcomes(outcomes []engine.Outcome, err error) (Token, error) {
	t := Token{K: "several"}
	if err != nil {
		return t, err
	}
	var sub []Token
	for _, o := range outcomes {
		v, err := got(o.Value, o.Err)
		if err != nil {
			return t, err
		}
		sub = append(sub, Token{K: "act", V: v})
	}
	t.Sub = [][]Token{sub}
	return t, nil
}

func (r *interpreter) branches(ctx *engine.Context, s *Statement) (Token, error) {
	var fs []*engine.Future
	for _, b := range s.Branches {
		fs = append(fs, ctx.Go(func(inner *engine.Context) ([]byte, error) {
			growStack()
			var out []Token
			if err := r.block(inner, b, &out); err != nil {
				return nil, err
			}
			return EncodeTokens(out)
		}))
	}
	values, err := ctx.Join(fs...)
	t := Token{K: "branches"}
	for _, v := range values {
		var sub []Token
		if err := json.Unmarshal(v, &sub); err != nil {
			return t, err
		}
		t.Sub = append(t.Sub, sub)
	}
	return t, err
}

func (r *interpreter) system(ctx *engine.Context, s *Statement) (Token, error) {
	t := Token{K: "system"}
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
		t.V = Text(v)
		return t, err
	}
}

// until waits for a time that was read before an activity. The duration of the timer
// depends on when it is recorded, and must not depend on when it is replayed.
func (r *interpreter) until(ctx *engine.Context, s *Statement) (Token, error) {
	now, err := ctx.Now()
	if err != nil {
		return Token{}, err
	}
	if _, err := got(ctx.Await(ctx.Activity(r.activity(s, 0)))); err != nil {
		return Token{}, err
	}
	return r.await(ctx, "timer", ctx.TimerAt(now.Add(s.Duration).UnixMilli()))
}
