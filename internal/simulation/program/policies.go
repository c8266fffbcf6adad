package program

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// doing is how an activity works, and how it fails.
type doing string

const (
	doesPlainly doing = ""
	DoesOnce    doing = "once"    // it runs at most once
	DoesBeat    doing = "beat"    // it sends heartbeats
	DoesSilent  doing = "silent"  // it fails by sending no more heartbeats
	DoesLater   doing = "later"   // its error requests a delay
	DoesFinally doing = "finally" // its error is final
	DoesPending doing = "pending" // a client completes it
	DoesNever   doing = "never"   // it is never completed
	DoesDie     doing = "die"     // it kills its process
)

// doing returns how the activities of a statement work.
func (s *Statement) doing() doing {
	switch s.Kind {
	case kPolicy:
		return []doing{doesPlainly, DoesLater, DoesFinally}[s.N]
	case kBeat:
		return []doing{DoesBeat, DoesSilent, DoesBeat}[s.N]
	case kOnce:
		return DoesOnce
	case kDeadly:
		return DoesDie
	case kScope:
		if s.Way == beating {
			return DoesBeat
		}
	case kPending:
		return []doing{DoesPending, DoesPending, DoesNever}[s.N]
	}
	return doesPlainly
}

// failures returns how often the i-th activity of a statement fails before it succeeds.
func (s *Statement) failures(i int) int {
	switch s.Kind {
	case kSettle, kAny, kCompleted:
		if i == 0 {
			return 0
		}
	case kSteps:
		if i > 0 {
			return 0
		}
	case kSaga:
		if i != s.N {
			return 0 // Only the last step fails.
		}
	case kPending:
		return 0 // Its attempts do not fail; a client makes it fail.
	}
	return s.Fails
}

const (
	Silence = 15 * time.Second // of heartbeats
	inAll   = 40 * time.Second // for all attempts
)

// policy returns the policy of a statement's activities, except for the attempts; nil for
// none.
func (s *Statement) policy() *history.Retry {
	switch {
	case s.Kind == kPolicy && s.N == 0:
		return &history.Retry{TotalTimeoutMS: inAll.Milliseconds(), Coefficient: 30}
	case s.Kind == kBeat, s.Kind == kScope && s.Way == beating:
		return &history.Retry{HeartbeatTimeoutMS: Silence.Milliseconds()}
	case s.Kind == kOnce:
		return &history.Retry{AtMostOnce: true}
	case s.Kind == kPending && s.N > 0:
		r := &history.Retry{TotalTimeoutMS: (s.Duration + inAll).Milliseconds()}
		if s.Attempts > 1 {
			r.HeartbeatTimeoutMS = (s.Duration/2 + 2*Silence).Milliseconds()
		}
		return r
	case s.Kind == kSteps:
		return &history.Retry{Batch: s.Attempts}
	}
	return nil
}

// drawn is the Way of an inline activity whose input is random.
const drawn = 1

// inline returns the call of an inline activity.
func (r *interpreter) inline(ctx *engine.Context, s *Statement, i int) (engine.ActivityCall, error) {
	call := r.activity(s, i)
	if s.Way != drawn || r.program.most > 0 { // If lengths are near a limit, the input has its length.
		return call, nil
	}
	id, err := ctx.GUID()
	if err == nil {
		call.Input = append(fmt.Appendf(nil, `{"drawn":%q,`, id), call.Input[1:]...)
	}
	return call, err
}

// steps runs inline activities one after the other.
func (r *interpreter) steps(ctx *engine.Context, s *Statement) (Token, error) {
	t := Token{K: "several"}
	var sub []Token
	for i := range s.N + 2 {
		call, err := r.inline(ctx, s, i)
		if err != nil {
			return t, err
		}
		v, err := got(ctx.Inline(call))
		if err != nil {
			return t, err
		}
		sub = append(sub, Token{K: "act", V: v})
	}
	t.Sub = [][]Token{sub}
	return t, nil
}

// patched takes one of two paths: the old or the new.
func (r *interpreter) patched(ctx *engine.Context, s *Statement) (Token, error) {
	has := false
	if r.defect.Kind != "older" {
		var err error
		if has, err = ctx.Patched(fmt.Sprintf("patch%d", s.ID)); err != nil {
			return Token{}, err
		}
	}
	i := 0
	if has {
		i = 1
	}
	return r.await(ctx, "act", ctx.Activity(r.activity(s, i)))
}

// timeout runs an activity, a timer, an event that never arrives and sometimes a child in a
// scope with a timeout. Only the activity is awaited.
func (r *interpreter) timeout(ctx *engine.Context, s *Statement) (Token, error) {
	inner, cancel := ctx.WithTimeout(s.Duration)
	all := []*engine.Future{inner.Activity(r.activity(s, 0)), inner.Timer(3 * time.Hour), inner.ExternalEvent("never")}
	if s.N == 2 {
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
	said := r.says(ctx, s, cancel, all...)
	return t, scopeOver(ctx, said, all...)
}

// policy matches the possible results of the statements of this file.
func (m *Match) policy(s *Statement, t *Token, round int) error {
	k, may := "act", []string{m.activity(s, round, 0)}
	switch {
	case s.Kind == kDeadly:
		may = []string{"!" + history.FailureLost}
	case s.Kind == kPolicy && s.N == 0:
		may = append(may, "!"+history.FailureTotalTimeout)
	case s.Kind == kPolicy && s.N == 2 && s.Fails > 0:
		last := "!" + history.FailureApplication
		if !m.Excused[history.FailureTimeout] && !m.Excused[history.FailureHeartbeatTimeout] {
			may = nil // Otherwise an attempt may time out before its final error, and another follows.
		}
		may = append(may, last)
	case s.Kind == kBeat && t.K == "timeout":
		return nil
	case s.Kind == kBeat:
		k = "first"
		if s.N == 1 && s.Fails >= s.Attempts {
			may = []string{"!" + history.FailureHeartbeatTimeout}
		}
	case s.Kind == kPending:
		if s.Fails > 0 {
			may = []string{"!" + history.FailureApplication}
		}
		if s.N == 2 {
			may = nil
		}
		if s.N > 0 {
			may = append(may, "!"+history.FailureTotalTimeout, "!"+history.FailureHeartbeatTimeout)
		}
	case s.Kind == kTimeout:
		k, may = "scope", append(may, "timeout")
	case s.Kind == KindPatched:
		may = append(may, m.activity(s, round, 1))
	case s.Kind == kSteps:
		return m.steps(s, t, round)
	}
	if t.K != k || !slices.ContainsFunc(may, func(want string) bool { return m.is(t.V, want) }) {
		return fmt.Errorf("%s gave %+v: want %s, one of %q", KindNames[s.Kind], *t, k, may)
	}
	return nil
}

func (m *Match) steps(s *Statement, t *Token, round int) error {
	if t.K != "several" || len(t.Sub) != 1 || len(t.Sub[0]) != s.N+2 {
		return fmt.Errorf("steps gave %+v: want %d results", *t, s.N+2)
	}
	for i, o := range t.Sub[0] {
		if o.V == "!application" && s.failures(i) > 0 && m.Excused[history.FailureTimeout] {
			continue // Its next attempt did not fit into the invocation.
		}
		if want := m.activity(s, round, i); !m.is(o.V, want) {
			return fmt.Errorf("steps gave %+v: want %q at %d", *t, want, i)
		}
	}
	return nil
}

// unmarked returns a result without the mark of its run.
func unmarked(result string) string {
	result, _, _ = strings.Cut(result, "#")
	return result
}
