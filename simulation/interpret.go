package simulation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// state is the input of a program: which round, and the transcript so far.
type state struct {
	Round int     `json:"hidden"`
	Out   []token `json:"out,omitempty"`
}

// code returns the implementation of a version of a program.
func (ps programs) code(p *program, version string, d defect) engine.Func {
	// What is read and written in each replay alike is kept: it is a part of the
	// simulation that tells nothing.
	states, inputs := map[string]state{}, map[inputKey][]byte{}
	cleanUp := &statement{id: 999}
	return func(ctx *engine.Context, input []byte) ([]byte, error) {
		growStack()
		in, ok := states[string(input)]
		if !ok && string(input) != "{}" {
			if err := json.Unmarshal(input, &in); err != nil {
				return nil, err
			}
			states[string(input)] = in
		}
		r := &interpreter{programs: ps, round: in.Round, version: version, defect: d, inputs: inputs}
		out := p.saying(ctx, version, in.Out)
		err := r.block(ctx, p.body, &out)
		switch {
		case err != nil && ctx.Err() != nil && p.catches:
			clean := ctx.Shield()
			v, err := clean.Await(clean.Activity(r.activity(cleanUp, 0)))
			if err != nil {
				return nil, err
			}
			return encodeTokens(append(out, token{K: "cancelled", V: text(v)}))
		case err != nil:
			return nil, err
		case in.Round+1 < p.rounds:
			next, _ := json.Marshal(state{in.Round + 1, out})
			return nil, ctx.ContinueAsNew(p.next, next, nil)
		case p.fails && len(p.body)%2 == 0:
			// Whose error is that of a scope of its own has failed: nobody cancelled it.
			inner, cancel := ctx.WithCancel()
			if err := cancel("as it has to"); err != nil {
				return nil, err
			}
			return nil, inner.Err()
		case p.fails:
			return nil, errors.New("as it has to")
		}
		return encodeTokens(out)
	}
}

// inputKey names the input of an activity.
type inputKey struct {
	s        *statement
	round, i int
}

type interpreter struct {
	programs programs
	round    int
	version  string
	inputs   map[inputKey][]byte
	defect   defect
	count    int
	// fewer: so many activities of a statement are left out.
	fewer int
}

func (r *interpreter) block(ctx *engine.Context, b []*statement, out *[]token) error {
	for _, s := range b {
		if r.count++; r.count == r.defect.at {
			switch r.defect.kind {
			case "panic":
				panic("this build does not work")
			case "kill":
				r.defect.kill()
				panic("its process is dead")
			case "nondeterminism":
				ctx.Activity(engine.ActivityCall{Name: "intruder"})
				panic("this build does something else")
			}
		}
		t, err := r.defective(ctx, s)
		if err != nil {
			return err
		}
		t.ID = s.id
		*out = append(*out, t)
	}
	return nil
}

func (r *interpreter) activity(s *statement, i int) engine.ActivityCall {
	key := inputKey{s, r.round, i}
	input := r.inputs[key]
	if input == nil {
		w := work{ID: s.id, Version: r.version, Round: r.round, I: i, Fails: s.failures(i), Do: s.doing(), Most: max(s.attempts, 1), Refused: s.kind == kPending && s.fails > 0}
		input, _ = json.Marshal(w)
		input = slices.Clip(input)
		r.inputs[key] = input
	}
	call := engine.ActivityCall{Name: "work", Input: input, Inline: s.kind == kInline, Retry: s.policy()}
	if s.attempts > 1 {
		if call.Retry == nil {
			call.Retry = &history.Retry{}
		}
		call.Retry.MaxAttempts, call.Retry.InitialMS = s.attempts, 1500
		switch s.kind {
		case kInline:
			call.Retry.InitialMS = 0
		case kSteps:
			call.Retry.InitialMS = 5000 // too long to be waited for in a turn
		}
	}
	return call
}

func (r *interpreter) several(ctx *engine.Context, s *statement) []*engine.Future {
	var fs []*engine.Future
	for i := range s.n + 1 - r.fewer {
		fs = append(fs, ctx.Activity(r.activity(s, i)))
	}
	if r.defect.kind == "cancels" && len(fs) > 1 {
		_, _ = ctx.Select(false, fs...)
		panic("this build has cancelled what it may not")
	}
	return fs
}

// got is the token value of an outcome; an error that is no recorded failure
// ends the program.
func got(v []byte, err error) (string, error) {
	var f *engine.FailureError
	if errors.As(err, &f) {
		return "!" + f.Failure.Kind, nil
	}
	return text(v), err
}

func (r *interpreter) await(ctx *engine.Context, k string, f *engine.Future) (token, error) {
	v, err := got(ctx.Await(f))
	return token{K: k, V: v}, err
}

func (r *interpreter) statement(ctx *engine.Context, s *statement) (token, error) {
	switch s.kind {
	case kAct, kInline:
		return r.await(ctx, "act", ctx.Activity(r.activity(s, 0)))
	case kTimer:
		return r.await(ctx, "timer", ctx.Timer(s.d))
	case kEvent:
		return r.await(ctx, "event", ctx.ExternalEvent(eventName(s.n)))
	case kEventOr:
		return r.first(ctx, ctx.ExternalEvent(eventName(s.n)), ctx.Timer(s.d))
	case kRace:
		return r.first(ctx, ctx.Activity(r.activity(s, 0)), ctx.Timer(s.d))
	case kWithin:
		return r.first(ctx, ctx.Child(r.child(s)), ctx.Timer(s.d))
	case kChild:
		return r.await(ctx, "child", ctx.Child(r.child(s)))
	case kKeep:
		a, t := ctx.Activity(r.activity(s, 0)), ctx.Timer(s.d)
		first, err := ctx.Select(r.defect.kind != "cancels", t, a)
		if err != nil {
			return token{}, err
		}
		if r.defect.kind == "cancels" {
			panic("this build has cancelled what it may not")
		}
		if _, err := ctx.Await(t); err != nil {
			return token{}, err
		}
		out, err := r.await(ctx, "act", a)
		if err != nil {
			return out, err
		}
		// Who was first stays first, now that both are ready.
		if again, err := ctx.Select(true, t, a); err != nil || again != first {
			return token{K: "another winner"}, err
		}
		return out, nil
	case kJoin, kSettle:
		outcomes, err := ctx.Settle(r.several(ctx, s)...)
		return r.outcomes(outcomes, err)
	case kAny:
		i, v, err := ctx.Any(r.several(ctx, s)...)
		var all *engine.AllFailedError
		if errors.As(err, &all) && ctx.Err() == nil {
			return token{K: "any", V: "!"}, nil
		}
		return token{K: "any", V: fmt.Sprintf("%d:%s", i, text(v))}, err
	case kCompleted:
		fs := r.several(ctx, s)
		outcomes := make([]engine.Outcome, len(fs))
		for i, o := range ctx.AsCompleted(fs...) {
			if i < 0 {
				return token{}, o.Err
			}
			outcomes[i] = o
		}
		return r.outcomes(outcomes, nil)
	case kBranches:
		return r.branches(ctx, s)
	case kDetach:
		info := ctx.Info()
		_, err := ctx.Detach(engine.ChildCall{Name: r.programs[s.n].name, Version: s.version, Input: []byte(`{}`),
			Instance: fmt.Sprintf("%s+%d.%d", info.Instance, info.ExecutionID, s.id)})
		return token{K: "detach"}, err
	case kSystem:
		return r.system(ctx, s)
	case kStatus:
		ctx.SetCustomStatus(fmt.Appendf(nil, `"hidden round %d statement %d"`, r.round, s.id))
		if err := ctx.SetSearchAttributes(searched(r.round, s)); err != nil {
			return token{}, err
		}
		return token{K: "status"}, nil
	case kScope:
		return r.scope(ctx, s)
	case kOpen:
		ctx.Activity(r.activity(s, 0))
		ctx.Timer(s.d)
		return token{K: "open"}, ctx.Err()
	case kWaits:
		return r.threeWaits(ctx, s)
	case kPolicy, kOnce, kPending, kDeadly:
		return r.await(ctx, "act", ctx.Activity(r.activity(s, 0)))
	case kBeat:
		return r.first(ctx, ctx.Activity(r.activity(s, 0)), ctx.Timer(s.d+time.Second))
	case kSteps:
		return r.steps(ctx, s)
	case kTimeout:
		return r.timeout(ctx, s)
	case kLeft, kTell, kCall:
		return r.companion(ctx, s)
	case kPatched:
		return r.patched(ctx, s)
	case kLook:
		return r.look(ctx, s)
	case kHold:
		return r.hold(ctx, s)
	case kSaga:
		return r.saga(ctx, s)
	case kShare:
		return r.share(ctx, s)
	}
	panic("unknown statement")
}

func (r *interpreter) child(s *statement) engine.ChildCall {
	return engine.ChildCall{Name: r.programs[s.n].name, Version: s.version, Input: []byte(`{}`)}
}

func (r *interpreter) first(ctx *engine.Context, f, timeout *engine.Future) (token, error) {
	i, err := ctx.Select(false, timeout, f)
	if err != nil {
		return token{}, err
	}
	if !f.Ready() || !timeout.Ready() {
		return token{K: "open loser"}, nil
	}
	if i == 0 {
		_, err := ctx.Await(timeout)
		return token{K: "timeout"}, err
	}
	return r.await(ctx, "first", f)
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

func (r *interpreter) branches(ctx *engine.Context, s *statement) (token, error) {
	var fs []*engine.Future
	for _, b := range s.branches {
		fs = append(fs, ctx.Go(func(inner *engine.Context) ([]byte, error) {
			growStack()
			var out []token
			if err := r.block(inner, b, &out); err != nil {
				return nil, err
			}
			return encodeTokens(out)
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

func (r *interpreter) system(ctx *engine.Context, s *statement) (token, error) {
	t := token{K: "system"}
	switch s.n {
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

func eventName(n int) string { return fmt.Sprintf("e%d", n) }
