package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// doing is how an activity goes about its work, and how it fails.
type doing string

const (
	doesPlainly doing = ""
	doesOnce    doing = "once"    // it runs at most once
	doesBeat    doing = "beat"    // it gives heartbeats
	doesSilent  doing = "silent"  // it fails by giving none any more
	doesLater   doing = "later"   // its error asks for a delay
	doesFinally doing = "finally" // its error is final
	doesPending doing = "pending" // a client completes it
	doesNever   doing = "never"   // nobody completes it
	doesDie     doing = "die"     // it kills its process
)

// doing of the activities of a statement.
func (s *statement) doing() doing {
	switch s.kind {
	case kPolicy:
		return []doing{doesPlainly, doesLater, doesFinally}[s.n]
	case kBeat:
		return []doing{doesBeat, doesSilent, doesBeat}[s.n]
	case kOnce:
		return doesOnce
	case kDeadly:
		return doesDie
	case kPending:
		return []doing{doesPending, doesPending, doesNever}[s.n]
	}
	return doesPlainly
}

// failures of the i-th activity of a statement, ahead of its success.
func (s *statement) failures(i int) int {
	switch s.kind {
	case kSettle, kAny, kCompleted:
		if i == 0 {
			return 0
		}
	case kSteps:
		if i > 0 {
			return 0
		}
	case kSaga:
		if i != s.n {
			return 0 // The last step alone fails.
		}
	case kPending:
		return 0 // Its attempts do not fail; a client does that.
	}
	return s.fails
}

const (
	silence = 15 * time.Second // of heartbeats
	inAll   = 40 * time.Second // for all attempts
)

// policy of a statement's activities, but for the attempts; nil for none.
func (s *statement) policy() *history.Retry {
	switch {
	case s.kind == kPolicy && s.n == 0:
		return &history.Retry{TotalTimeoutMS: inAll.Milliseconds(), Coefficient: 10}
	case s.kind == kBeat:
		return &history.Retry{HeartbeatTimeoutMS: silence.Milliseconds()}
	case s.kind == kOnce:
		return &history.Retry{AtMostOnce: true}
	case s.kind == kPending && s.n > 0:
		r := &history.Retry{TotalTimeoutMS: (s.d + inAll).Milliseconds()}
		if s.attempts > 1 {
			r.HeartbeatTimeoutMS = 2 * silence.Milliseconds()
		}
		return r
	case s.kind == kSteps:
		return &history.Retry{Batch: s.attempts}
	}
	return nil
}

// steps runs inline activities one behind the other.
func (r *interpreter) steps(ctx *engine.Context, s *statement) (token, error) {
	t := token{K: "several"}
	var sub []token
	for i := range s.n + 2 {
		v, err := got(ctx.Inline(r.activity(s, i)))
		if err != nil {
			return t, err
		}
		sub = append(sub, token{K: "act", V: v})
	}
	t.Sub = [][]token{sub}
	return t, nil
}

// patched has two ways to go: the old one and the one that came in its place.
func (r *interpreter) patched(ctx *engine.Context, s *statement) (token, error) {
	has := false
	if r.defect.kind != "older" {
		var err error
		if has, err = ctx.Patched(fmt.Sprintf("patch%d", s.id)); err != nil {
			return token{}, err
		}
	}
	i := 0
	if has {
		i = 1
	}
	return r.await(ctx, "act", ctx.Activity(r.activity(s, i)))
}

// timeout has an activity, a timer, an event that never comes and, at times, a
// child in a scope with a timeout. Only the activity is awaited.
func (r *interpreter) timeout(ctx *engine.Context, s *statement) (token, error) {
	inner, cancel := ctx.WithTimeout(s.d)
	all := []*engine.Future{inner.Activity(r.activity(s, 0)), inner.Timer(3 * time.Hour), inner.ExternalEvent("never")}
	if s.n == 2 {
		all = append(all, inner.Child(engine.ChildCall{Name: "waits", Input: []byte(`{}`)}))
	}
	t, err := r.await(inner, "scope", all[0])
	switch {
	case ctx.Err() != nil:
		return t, ctx.Err()
	case inner.Err() != nil && err != nil:
		t.V, err = "timeout", nil
	case err != nil:
		return t, err
	}
	cancel("enough")
	return t, scopeOver(ctx, all...)
}

// scope has an activity in a scope that is cancelled behind a timer.
func (r *interpreter) scope(ctx *engine.Context, s *statement) (token, error) {
	inner, cancel := ctx.WithCancel()
	a := inner.Activity(r.activity(s, 0))
	if _, err := ctx.Await(ctx.Timer(s.d)); err != nil {
		return token{}, err
	}
	r.unawaited(ctx, a)
	cancel("enough")
	if err := scopeOver(ctx, a); err != nil {
		return token{}, err
	}
	v, err := got(ctx.Await(a))
	if errors.Is(err, engine.ErrCancelled) && ctx.Err() == nil {
		return token{K: "scope", V: "cancelled"}, nil
	}
	return token{K: "scope", V: v}, err
}

// scopeOver checks that nothing of a scope that is over is open, and notes in
// history which operations it had: so the checker sees that they were stopped.
func scopeOver(ctx *engine.Context, all ...*engine.Future) error {
	var ids []string
	for _, f := range all {
		if !f.Ready() {
			return fmt.Errorf("event %d is open in a scope that is over", f.EventID())
		}
		if f.EventID() > 0 {
			ids = append(ids, fmt.Sprint(f.EventID()))
		}
	}
	_, err := ctx.SideEffect(scopeIsOver, func() ([]byte, error) { return []byte("[" + strings.Join(ids, ",") + "]"), nil })
	return err
}

const scopeIsOver = "scope over"

// policy matches what the statements of this file may give.
func (m *match) policy(s *statement, t *token, round int) error {
	k, may := "act", []string{m.activity(s, round, 0)}
	switch {
	case s.kind == kDeadly:
		may = []string{"!" + history.FailureLost}
	case s.kind == kPolicy && s.n == 0:
		may = append(may, "!"+history.FailureTotalTimeout)
	case s.kind == kPolicy && s.n == 2 && s.fails > 0:
		last := "!" + history.FailureApplication
		if !m.excused[history.FailureTimeout] && !m.excused[history.FailureHeartbeatTimeout] {
			may = nil // Else an attempt may be out of time ahead of its final error, and another follows.
		}
		may = append(may, last)
	case s.kind == kBeat && t.K == "timeout":
		return nil
	case s.kind == kBeat:
		k = "first"
		if s.n == 1 && s.fails >= s.attempts {
			may = []string{"!" + history.FailureHeartbeatTimeout}
		}
	case s.kind == kPending:
		if s.fails > 0 {
			may = []string{"!" + history.FailureApplication}
		}
		if s.n == 2 {
			may = nil
		}
		if s.n > 0 {
			may = append(may, "!"+history.FailureTotalTimeout, "!"+history.FailureHeartbeatTimeout)
		}
	case s.kind == kTimeout:
		k, may = "scope", append(may, "timeout")
	case s.kind == kPatched:
		may = append(may, m.activity(s, round, 1))
	case s.kind == kSteps:
		return m.steps(s, t, round)
	}
	if t.K != k || !slices.ContainsFunc(may, func(want string) bool { return m.is(t.V, want) }) {
		return fmt.Errorf("%s gave %+v: want %s, one of %q", kindNames[s.kind], *t, k, may)
	}
	return nil
}

func (m *match) steps(s *statement, t *token, round int) error {
	if t.K != "several" || len(t.Sub) != 1 || len(t.Sub[0]) != s.n+2 {
		return fmt.Errorf("steps gave %+v: want %d results", *t, s.n+2)
	}
	for i, o := range t.Sub[0] {
		if o.V == "!application" && s.failures(i) > 0 && m.excused[history.FailureTimeout] {
			continue // Its next attempt did not fit into the invocation.
		}
		if want := m.activity(s, round, i); !m.is(o.V, want) {
			return fmt.Errorf("steps gave %+v: want %q at %d", *t, want, i)
		}
	}
	return nil
}

// unmarked is a result without what tells it from that of another run.
func unmarked(result string) string {
	result, _, _ = strings.Cut(result, "#")
	return result
}
