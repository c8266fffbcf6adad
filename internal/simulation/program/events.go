package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// looks is how often code polls for an event, and the number of selects in hold.
const looks = 2

// look polls for an event without waiting for it, with an activity between polls. An event
// that has arrived is returned at once; if a poll finds none, a wait would find none
// either.
func (r *interpreter) look(ctx *engine.Context, s *Statement) (Token, error) {
	t := Token{K: "several"}
	var sub []Token
	for i := range looks {
		if i > 0 {
			if _, err := got(ctx.Await(ctx.Activity(r.activity(s, i)))); err != nil {
				return t, err
			}
		}
		came, err := ctx.EventKept(EventName(s.N), r.acceptor(s))
		if err != nil {
			return t, err
		}
		inner, cancel := ctx.WithCancel()
		o := Token{K: "none"}
		if came || i == looks-1 {
			f := inner.ExternalEventIf(EventName(s.N), r.acceptor(s))
			switch {
			case f.Ready() != came:
				o.K = fmt.Sprintf("EventKept returned %t, but Ready %t", came, f.Ready())
			case came:
				if o, err = decoded(r.await(inner, "event", f)); err != nil {
					return t, err
				}
			}
		}
		cancel("it has looked")
		if err := ctx.Err(); err != nil {
			return t, err
		}
		sub = append(sub, o)
	}
	t.Sub = [][]Token{sub}
	return t, nil
}

// hold waits for one event over several selects against a timer, with activities between
// the selects. The event may arrive during any of them.
func (r *interpreter) hold(ctx *engine.Context, s *Statement) (Token, error) {
	inner, cancel := ctx.WithCancel()
	f := inner.ExternalEventIf(EventName(s.N), r.acceptor(s))
	all := []*engine.Future{f}
	for i := range looks {
		timer := inner.Timer(s.Duration)
		all = append(all, timer)
		if first, err := inner.Select(true, timer, f); err != nil {
			return Token{}, err
		} else if first == 1 {
			break
		}
		a := inner.Activity(r.activity(s, i))
		if _, err := got(ctx.Await(a)); err != nil {
			return Token{}, err
		}
		r.unawaited(ctx, f)
	}
	t, came := Token{K: "timeout"}, f.Ready()
	said := r.says(ctx, s, cancel, all...)
	if err := scopeOver(ctx, said, all...); err != nil || !came {
		return t, err
	}
	return decoded(r.await(ctx, "event", f))
}

// looked matches the result of look: one entry per poll, each with an event or nothing.
func (m *Match) looked(s *Statement, t *Token, round int) error {
	if t.K != "several" || len(t.Sub) != 1 || len(t.Sub[0]) != looks {
		return fmt.Errorf("look gave %+v: want %d looks", *t, looks)
	}
	for i := range t.Sub[0] {
		if o := &t.Sub[0][i]; o.K != "none" {
			if err := m.statement(&Statement{Kind: kEvent, N: s.N, Rejects: s.Rejects}, o, round); err != nil {
				return err
			}
		}
	}
	return nil
}
