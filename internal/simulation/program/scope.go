package program

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// scope runs an activity in a scope that is cancelled after a timer, sometimes with a child that
// waits for ever. Operations that the cancellation reaches get its reason.
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

// Variants of a scope, besides that with only an activity. Both have a child.
const (
	beating   = 1 // the activity sends heartbeats
	eachAlone = 2 // each operation is cancelled, instead of the scope
)

// Said is what a program records about a scope that has ended, so that the checker can verify that
// its operations were stopped, and for which reason.
type Said struct {
	// Over are the operations of the scope, Open those of them that the program was the first to
	// cancel, and Reason is the reason that it gave.
	Over   []int64 `json:"over"`
	Open   []int64 `json:"open,omitempty"`
	Reason string  `json:"reason,omitempty"`
}

// Enough is the prefix of each reason that programs give.
const Enough = "enough of "

// says cancels a scope with a unique reason, and returns the operations that the cancellation
// reaches.
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

// ScopeIsOver names the side effect that records a Said.
const ScopeIsOver = "scope over"

// scopeOver checks that nothing is open in a scope that has ended, and records the reason
// that was given to its operations.
func scopeOver(ctx *engine.Context, said Said, all ...*engine.Future) error {
	for _, f := range all {
		if !f.Ready() {
			return fmt.Errorf("event %d is open in a scope that has ended", f.EventID())
		}
		if f.EventID() > 0 {
			said.Over = append(said.Over, f.EventID())
		}
	}
	_, err := ctx.SideEffect(ScopeIsOver, func() ([]byte, error) { return json.Marshal(said) })
	return err
}
