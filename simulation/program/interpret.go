package program

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
	Out   []Token `json:"out,omitempty"`
}

// code returns the implementation of a version of a program.
func (ps Programs) code(p *Program, version string, d Defect) engine.Func {
	// What is read and written in each replay alike is kept: it is a part of the
	// simulation that tells nothing.
	states, inputs := map[string]state{}, map[inputKey][]byte{}
	cleanUp := &Statement{ID: 999}
	return func(ctx *engine.Context, input []byte) ([]byte, error) {
		growStack()
		ctx = headed(ctx)
		in, ok := states[string(input)]
		if !ok && string(input) != "{}" {
			if err := json.Unmarshal(input, &in); err != nil {
				return nil, err
			}
			states[string(input)] = in
		}
		r := &interpreter{programs: ps, round: in.Round, version: version, defect: d, inputs: inputs}
		out := p.saying(ctx, version, in.Out)
		err := r.block(ctx, p.Body, &out)
		switch {
		case err != nil && ctx.Err() != nil && p.Catches:
			clean := ctx.Shield()
			v, err := clean.Await(clean.Activity(r.activity(cleanUp, 0)))
			if err != nil {
				return nil, err
			}
			return EncodeTokens(append(out, Token{K: "cancelled", V: Text(v)}))
		case err != nil:
			return nil, err
		case in.Round+1 < p.Rounds:
			next, _ := json.Marshal(state{in.Round + 1, out})
			return nil, ctx.ContinueAsNew(p.Next, next, nil)
		case p.Fails && len(p.Body)%2 == 0:
			// Whose error is that of a scope of its own has failed: nobody cancelled it.
			inner, cancel := ctx.WithCancel()
			if err := cancel("as it has to"); err != nil {
				return nil, err
			}
			return nil, inner.Err()
		case p.Fails:
			return nil, errors.New("as it has to")
		}
		return EncodeTokens(out)
	}
}

// inputKey names the input of an activity.
type inputKey struct {
	s        *Statement
	round, i int
}

type interpreter struct {
	programs Programs
	round    int
	version  string
	inputs   map[inputKey][]byte
	defect   Defect
	count    int
	// fewer: so many activities of a statement are left out.
	fewer int
}

func (r *interpreter) block(ctx *engine.Context, b []*Statement, out *[]Token) error {
	for _, s := range b {
		if r.count++; r.count == r.defect.At {
			switch r.defect.Kind {
			case "panic":
				panic("this build does not work")
			case "kill":
				r.defect.Kill()
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
		t.ID = s.ID
		*out = append(*out, t)
	}
	return nil
}

func (r *interpreter) activity(s *Statement, i int) engine.ActivityCall {
	key := inputKey{s, r.round, i}
	input := r.inputs[key]
	if input == nil {
		w := Work{ID: s.ID, Version: r.version, Round: r.round, I: i, Fails: s.failures(i), Do: s.doing(), Most: max(s.Attempts, 1), Refused: s.Kind == kPending && s.Fails > 0}
		input, _ = json.Marshal(w)
		input = slices.Clip(input)
		r.inputs[key] = input
	}
	call := engine.ActivityCall{Name: "work", Input: input, Inline: s.Kind == kInline, Retry: s.policy()}
	if s.Attempts > 1 {
		if call.Retry == nil {
			call.Retry = &history.Retry{}
		}
		call.Retry.MaxAttempts, call.Retry.InitialMS = s.Attempts, 1500
		switch s.Kind {
		case kInline:
			call.Retry.InitialMS = 0
		case kSteps:
			call.Retry.InitialMS = 5000 // too long to be waited for in a turn
		}
	}
	return call
}

func (r *interpreter) several(ctx *engine.Context, s *Statement) []*engine.Future {
	var fs []*engine.Future
	for i := range s.N + 1 - r.fewer {
		fs = append(fs, ctx.Activity(r.activity(s, i)))
	}
	if r.defect.Kind == "cancels" && len(fs) > 1 {
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
	return Text(v), err
}

func (r *interpreter) await(ctx *engine.Context, k string, f *engine.Future) (Token, error) {
	v, err := got(ctx.Await(f))
	return Token{K: k, V: v}, err
}

func (r *interpreter) statement(ctx *engine.Context, s *Statement) (Token, error) {
	switch s.Kind {
	case kAct, kInline:
		return r.await(ctx, "act", ctx.Activity(r.activity(s, 0)))
	case kTimer:
		return r.await(ctx, "timer", ctx.Timer(s.Duration))
	case kUntil:
		return r.until(ctx, s)
	case kEvent:
		return r.await(ctx, "event", ctx.ExternalEvent(EventName(s.N)))
	case kEventOr:
		return r.first(ctx, ctx.ExternalEvent(EventName(s.N)), ctx.Timer(s.Duration))
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
		// Who was first stays first, now that both are ready.
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
		_, err := ctx.Detach(engine.ChildCall{Name: r.programs[s.N].Name, Version: s.Version, Input: []byte(`{}`),
			Instance: fmt.Sprintf("%s+%d.%d", info.Instance, info.ExecutionID, s.ID)})
		return Token{K: "detach"}, err
	case kSystem:
		return r.system(ctx, s)
	case kStatus:
		ctx.SetCustomStatus(fmt.Appendf(nil, `"hidden round %d statement %d"`, r.round, s.ID))
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
	}
	panic("unknown statement")
}

func (r *interpreter) child(s *Statement) engine.ChildCall {
	return engine.ChildCall{Name: r.programs[s.N].Name, Version: s.Version, Input: []byte(`{}`)}
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

// EventName is the name of the n-th event.
func EventName(n int) string { return fmt.Sprintf("e%d", n) }

// until waits for a time that was read before an activity. How long the timer
// takes hangs on when it is recorded, and may not hang on when it is replayed.
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
