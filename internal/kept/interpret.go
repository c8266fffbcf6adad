package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// Kept histories were written by the code in this file and by what it calls in this package. What a statement does must
// never change.

// state is the input of a program: the round and the transcript so far.
type state struct {
	Round int     `json:"hidden"`
	Out   []token `json:"out,omitempty"`
}

// token is the result of one statement.
type token struct {
	K   string    `json:"hidden"`
	ID  int       `json:"id,omitempty"`
	V   string    `json:"v,omitempty"`
	Sub [][]token `json:"sub,omitempty"`
}

// code returns the implementation of a version of a program.
func (ps Programs) code(p *Program, version string) engine.Func {
	return func(ctx *engine.Context, input []byte) ([]byte, error) {
		var in state
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, err
		}
		r := &interpreter{programs: ps, round: in.Round, version: version}
		out := append([]token{}, in.Out...)
		if p.Versions != nil {
			out = append(out, token{K: "version", V: version})
		}
		err := r.block(ctx, p.Body, &out)
		switch {
		case err != nil && ctx.Err() != nil && p.Catches:
			clean := ctx.Shield()
			v, err := clean.Await(clean.Activity(r.activity(&Statement{ID: 999}, 0)))
			if err != nil {
				return nil, err
			}
			return json.Marshal(append(out, token{K: "cancelled", V: text(v)}))
		case err != nil:
			return nil, err
		case in.Round+1 < p.Rounds:
			next, _ := json.Marshal(state{in.Round + 1, out})
			return nil, ctx.ContinueAsNew(p.Next, next, nil)
		case p.Fails:
			return nil, errors.New("as it has to")
		}
		return json.Marshal(out)
	}
}

type interpreter struct {
	programs Programs
	round    int
	version  string
}

func (r *interpreter) block(ctx *engine.Context, b []*Statement, out *[]token) error {
	for _, s := range b {
		t, err := word(s.Do)(r, ctx, s)
		if err != nil {
			return err
		}
		t.ID = s.ID
		*out = append(*out, t)
	}
	return nil
}

func (s *Statement) duration() time.Duration { return time.Duration(s.MS) * time.Millisecond }

func eventName(n int) string { return fmt.Sprintf("e%d", n) }

// got returns the token value of an outcome. An error that is not a recorded failure ends the program.
func got(v []byte, err error) (string, error) {
	var f *engine.FailureError
	if errors.As(err, &f) {
		return "!" + f.Failure.Kind, nil
	}
	return text(v), err
}

// text returns a value as it appears in a transcript.
func text(v []byte) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

func (r *interpreter) await(ctx *engine.Context, k string, f *engine.Future) (token, error) {
	v, err := got(ctx.Await(f))
	return token{K: k, V: v}, err
}

func (r *interpreter) several(ctx *engine.Context, s *Statement) []*engine.Future {
	var fs []*engine.Future
	for i := range s.N + 1 {
		fs = append(fs, ctx.Activity(r.activity(s, i)))
	}
	return fs
}
