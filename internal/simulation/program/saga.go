package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// saga runs its steps one after the other. If one fails, or the scope is cancelled, it
// undoes the completed steps in reverse order, in a scope that no cancel reaches. The
// transcript has the steps and the undoing, in order.
func (r *interpreter) saga(ctx *engine.Context, s *Statement) (Token, error) {
	t := Token{K: "saga"}
	steps, undone := []Token{}, []Token{}
	broken := false
	for i := range s.N + 1 {
		o, err := r.await(ctx, "act", ctx.Activity(r.activity(s, i)))
		if err != nil {
			return t, r.undo(ctx, s, i, &undone, err)
		}
		steps = append(steps, o)
		if broken = failed(o.V); broken {
			break
		}
	}
	if broken {
		if err := r.undo(ctx, s, len(steps)-1, &undone, nil); err != nil {
			return t, err
		}
	}
	t.Sub = [][]Token{steps, undone}
	return t, ctx.Err()
}

// undo undoes this many steps in reverse order, and returns the error that caused it.
func (r *interpreter) undo(ctx *engine.Context, s *Statement, done int, undone *[]Token, why error) error {
	clean := ctx.Shield()
	for i := done - 1; i >= 0; i-- {
		o, err := r.await(clean, "act", clean.Activity(r.activity(s, undoes+i)))
		if err != nil {
			return err
		}
		*undone = append(*undone, o)
	}
	return why
}

// undoes is the number of the activity that undoes the first step of a statement.
const undoes = 10

func failed(v string) bool { return v != "" && v[0] == '!' }

// saga matches a transcript of steps: all of them, or those up to one that failed, followed
// by the undoing of all completed ones in reverse order.
func (m *Match) saga(s *Statement, t *Token, round int) error {
	if t.K != "saga" || len(t.Sub) != 2 || len(t.Sub[0]) == 0 || len(t.Sub[0]) > s.N+1 {
		return fmt.Errorf("saga gave %+v: want up to %d steps, and what was undone", *t, s.N+1)
	}
	steps, undone := t.Sub[0], t.Sub[1]
	for i, o := range steps {
		if want := m.activity(s, round, i); !m.is(o.V, want) || failed(o.V) && i < len(steps)-1 {
			return fmt.Errorf("saga gave %+v: want %q of step %d", *t, want, i)
		}
	}
	done := 0
	if last := len(steps) - 1; failed(steps[last].V) {
		done = last
	} else if len(steps) != s.N+1 {
		return fmt.Errorf("saga gave %+v: it ends after a step that did not fail", *t)
	}
	if len(undone) != done {
		return fmt.Errorf("saga gave %+v: want %d undone", *t, done)
	}
	for i, o := range undone {
		if want := (Work{ID: s.ID, Round: round, I: undoes + done - 1 - i}).Result(); !m.is(o.V, want) {
			return fmt.Errorf("saga gave %+v: want %q at %d of the undone", *t, want, i)
		}
	}
	return nil
}
