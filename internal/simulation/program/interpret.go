package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// state is the input of a program: its round, and the transcript so far.
type state struct {
	Round int     `json:"hidden"`
	Out   []Token `json:"out,omitempty"`
}

// code returns the implementation of a version of a program.
func (ps Programs) code(p *Program, version string, d Defect) engine.Func {
	// These cache what every replay reads and writes in the same way, because this part of the
	// simulation tests nothing.
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
		r := &interpreter{root: ctx, programs: ps, program: p, instance: ctx.Info().Instance, round: in.Round, version: version, defect: d, inputs: inputs, shows: p.Shows}
		if err := r.answerQueries(ctx); err != nil {
			return nil, err
		}
		if err := r.handleUpdates(); err != nil {
			return nil, err
		}
		out := p.saying(ctx, version, in.Out)
		var call *engine.Future
		if p.Updates != nil && p.Updates.Calls {
			call = r.callsUpdate(ctx)
		}
		err := r.block(ctx, p.Body, &out)
		if err == nil && call != nil && p.Updates.Awaits {
			_, err = ctx.Await(call)
		}
		if err == nil && p.Updates != nil && p.Updates.Finishes {
			err = ctx.AwaitHandlers()
		}
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
			err := ctx.ContinueAsNew(p.Next, next, nil)
			if d.Kind == "forgets" {
				return EncodeTokens(out)
			}
			return nil, err
		case p.Fails && p.mostText > 0:
			return nil, errors.New(p.text("as it has to", p.Name, in.Round))
		case p.Fails && len(p.Body)%2 == 0:
			// A program that returns the error of its own scope has failed: it was not cancelled
			// from outside.
			inner, cancel := ctx.WithCancel()
			if err := cancel("as it has to"); err != nil {
				return nil, err
			}
			return nil, inner.Err()
		case p.Fails && len(p.Body)%4 == 3:
			return nil, asTerminated()
		case p.Fails:
			return nil, errors.New("as it has to")
		}
		return p.output(out)
	}
}

// inputKey identifies the input of an activity.
type inputKey struct {
	s        *Statement
	round, i int
}

type interpreter struct {
	programs Programs
	program  *Program
	instance string
	round    int
	version  string
	inputs   map[inputKey][]byte
	defect   Defect
	count    int
	// fewer is the number of activities of a statement that are left out.
	fewer int
	shows bool
	// root is the context of the execution, and handled counts the updates that it has accepted.
	root    *engine.Context
	handled int
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
		if err := r.handleUpdates(); err != nil {
			return err
		}
		if r.shows {
			if err := r.show(ctx); err != nil {
				return err
			}
		}
		t, err := r.defective(s.labelled(ctx), s)
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
		input = slices.Clip(r.input(s, input, i))
		r.inputs[key] = input
	}
	call := engine.ActivityCall{Name: "work", Input: input, Inline: s.Kind == kInline, Retry: s.queued(s.limited(s.policy()), i, r.instance)}
	if s.Attempts > 1 {
		if call.Retry == nil {
			call.Retry = &history.Retry{}
		}
		call.Retry.MaxAttempts, call.Retry.InitialMS = s.Attempts, 1500
		switch {
		case s.Kind == kInline:
			call.Retry.InitialMS = 0
		case s.Kind == kSteps:
			call.Retry.InitialMS = 5000 // too long to wait for in a turn
		case s.ID%4 == 3:
			call.Retry.InitialMS = 60_000 // long enough for an operator to act before
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

// got returns the token value of an outcome; an error that is not a recorded failure ends the
// program.
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

// EventName returns the name of the n-th event.
func EventName(n int) string { return fmt.Sprintf("e%d", n) }
