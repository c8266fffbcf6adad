package program

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// scope has an activity in a scope that is cancelled after a timer, at times with a child
// that waits for ever. Whom the cancellation reaches hears of its reason.
func (r *interpreter) scope(ctx *engine.Context, s *Statement) (Token, error) {
	inner, cancel := ctx.WithCancel()
	a := inner.Activity(r.activity(s, 0))
	all := []*engine.Future{a}
	if s.Way > 0 {
		all = append(all, inner.Child(engine.ChildCall{Name: "waits", Input: []byte(`{}`)}))
	}
	if s.Way == eachAlone {
		cancel = func(reason string) (err error) {
			for _, f := range all {
				err = errors.Join(err, f.Cancel(reason))
			}
			return err
		}
	}
	if _, err := ctx.Await(ctx.Timer(s.Duration)); err != nil {
		return Token{}, err
	}
	r.unawaited(ctx, a)
	said := r.says(ctx, s, cancel, all...)
	if err := scopeOver(ctx, said, all...); err != nil {
		return Token{}, err
	}
	v, err := got(ctx.Await(a))
	if errors.Is(err, engine.ErrCancelled) && ctx.Err() == nil {
		return Token{K: "scope", V: "cancelled"}, nil
	}
	return Token{K: "scope", V: v}, err
}

// Ways of a scope, besides that with an activity alone. Both have a child.
const (
	beating   = 1 // the activity gives heartbeats
	eachAlone = 2 // each operation is cancelled, in place of the scope
)

// Said is what a program notes of a scope that is over: so the checker sees that its
// operations were stopped, and what they were told.
type Said struct {
	// Over are the operations of the scope, Open the operations among them that the
	// program was the first to cancel, Reason what it said.
	Over   []int64 `json:"over"`
	Open   []int64 `json:"open,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

// Enough begins each reason that programs give.
const Enough = "enough of "

// says cancels a scope with a reason that no other has, and returns whom that reaches.
func (r *interpreter) says(ctx *engine.Context, s *Statement, cancel func(reason string) error, all ...*engine.Future) Said {
	info := ctx.Info()
	said := Said{Reason: fmt.Sprintf("%s%s/%d.%d", Enough, info.Instance, info.ExecutionID, s.ID)}
	for _, f := range all {
		if !f.Ready() && f.EventID() > 0 {
			said.Open = append(said.Open, f.EventID())
		}
	}
	if cancel(said.Reason) != nil {
		said.Open = nil
	}
	return said
}

// ScopeIsOver names the side effect that has a Said.
const ScopeIsOver = "scope over"

// scopeOver checks that nothing of a scope that is over is open, and notes in history
// what was said to its operations.
func scopeOver(ctx *engine.Context, said Said, all ...*engine.Future) error {
	for _, f := range all {
		if !f.Ready() {
			return fmt.Errorf("event %d is open in a scope that is over", f.EventID())
		}
		if f.EventID() > 0 {
			said.Over = append(said.Over, f.EventID())
		}
	}
	_, err := ctx.SideEffect(ScopeIsOver, func() ([]byte, error) { return json.Marshal(said) })
	return err
}
