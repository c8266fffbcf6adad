package simulation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// match reports whether a transcript is one that a run of the program without
// faults may have. It knows what each statement may give and nothing of how it
// came about.
type match struct {
	programs programs
	// sent are the events that were sent to the instance: name by payload.
	sent map[string]string
	// used are those that the transcript has.
	used map[string]bool
	// order is the place at which each was recorded first; nil if not known.
	order map[string]int
	// excused are kinds of failure that faults of the run account for.
	excused map[string]bool
	// ended: clients cancelled or terminated children.
	ended bool
	// versions that its executions recorded; nil if not known.
	versions []string
}

// transcript matches the output of a program.
func (m *match) transcript(p *program, output []byte, mayBeCancelled bool) error {
	var out []token
	if err := json.Unmarshal(output, &out); err != nil {
		return fmt.Errorf("%s is no transcript: %w", output, err)
	}
	if p.fails && (len(out) == 0 || out[len(out)-1].K != "cancelled") {
		return fmt.Errorf("the program fails in the end, and has completed with %s", output)
	}
	last := map[string]int{}
	for round := range p.rounds {
		var err error
		if out, err = m.version(p, out, round); err != nil {
			return err
		}
		for _, s := range p.body {
			if len(out) == 0 {
				return fmt.Errorf("the transcript ends ahead of statement %d in round %d", s.id, round)
			}
			if out[0].K == "cancelled" && len(out) == 1 {
				if !mayBeCancelled || !p.catches {
					return fmt.Errorf("it was cancelled, and nobody did")
				}
				if want := (work{ID: 999, Round: round}).result(); !m.is(out[0].V, want) {
					return fmt.Errorf("the clean-up gave %q, not %q", out[0].V, want)
				}
				return nil
			}
			if err := m.statement(s, &out[0], round); err != nil {
				return fmt.Errorf("statement %d in round %d: %w", s.id, round, err)
			}
			if at, ok := m.order[out[0].V]; ok && (s.kind == kEvent || s.kind == kEventOr || s.kind == kHold) {
				// Rule 7: first in, first out, by name.
				name := eventName(s.n)
				if at < last[name] {
					return fmt.Errorf("statement %d in round %d took event %q, which was recorded ahead of one that was taken before", s.id, round, out[0].V)
				}
				last[name] = at
			}
			out = out[1:]
		}
	}
	if err := m.oldestFirst(); err != nil {
		return err
	}
	if len(out) != 0 {
		return fmt.Errorf("the transcript goes on behind the program's end: %v", out)
	}
	return nil
}

func (m *match) is(got, want string) bool {
	return unmarked(got) == want || strings.HasPrefix(got, "!") && m.excused[got[1:]]
}

// activity is what the i-th activity of a statement gives.
func (m *match) activity(s *statement, round, i int) string {
	if s.failures(i) >= max(s.attempts, 1) {
		return "!application"
	}
	return work{ID: s.id, Round: round, I: i}.result()
}

func (m *match) statement(s *statement, t *token, round int) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s gave %+v: %s", kindNames[s.kind], *t, fmt.Sprintf(format, args...))
	}
	expect := func(k, want string) error {
		if t.K != k || !m.is(t.V, want) {
			return wrong("want %s %q", k, want)
		}
		return nil
	}
	if t.ID != s.id {
		return wrong("it is the token of another statement")
	}
	switch s.kind {
	case kPolicy, kBeat, kOnce, kPending, kSteps, kTimeout, kPatched, kDeadly:
		return m.policy(s, t, round)
	case kInline:
		if t.V == "!application" && s.fails > 0 && m.excused[history.FailureTimeout] {
			return nil // Its next attempt did not fit into the invocation.
		}
		return expect("act", m.activity(s, round, 0))
	case kAct, kKeep:
		return expect("act", m.activity(s, round, 0))
	case kTimer:
		return expect("timer", "")
	case kRace:
		if t.K == "timeout" {
			return nil
		}
		return expect("first", m.activity(s, round, 0))
	case kSaga:
		return m.saga(s, t, round)
	case kLook:
		return m.looked(s, t, round)
	case kEvent, kEventOr, kHold:
		if s.kind != kEvent && t.K == "timeout" {
			return nil
		}
		if name, ok := m.sent[t.V]; !ok || name != eventName(s.n) {
			return wrong("nobody sent that event")
		}
		if m.used[t.V] {
			return wrong("that event was consumed twice")
		}
		m.used[t.V] = true
		return nil
	case kWaits:
		if t.K != "several" || len(t.Sub) != 1 || len(t.Sub[0]) != 2 && len(t.Sub[0]) != 3 {
			return wrong("want two events, or three")
		}
		for i := range t.Sub[0] {
			if err := m.statement(&statement{kind: kEvent, n: s.n}, &t.Sub[0][i], round); err != nil {
				return err
			}
		}
		return nil
	case kChild, kWithin:
		if s.kind == kWithin && t.K == "timeout" {
			return nil
		}
		p := m.programs[s.n]
		if strings.HasPrefix(t.V, "!") {
			if p.fails && t.V == "!application" || m.excused[t.V[1:]] ||
				m.ended && (t.V == "!"+history.FailureCancelled || t.V == "!"+history.FailureTerminated) {
				return nil
			}
			return wrong("the child does not fail")
		}
		child := match{programs: m.programs, sent: m.sent, used: map[string]bool{}, excused: m.excused, ended: m.ended}
		return child.transcript(p, []byte(t.V), m.ended)
	case kJoin, kSettle, kCompleted:
		if t.K != "several" || len(t.Sub) != 1 || len(t.Sub[0]) != s.n+1 {
			return wrong("want %d results", s.n+1)
		}
		for i, o := range t.Sub[0] {
			if want := m.activity(s, round, i); !m.is(o.V, want) {
				return wrong("want %q at %d", want, i)
			}
		}
		return nil
	case kAny:
		for i := range s.n + 1 {
			want := m.activity(s, round, i)
			if !strings.HasPrefix(want, "!") && t.V == fmt.Sprintf("%d:%s", i, want) {
				return nil
			}
		}
		if t.V == "!" && len(m.excused) > 0 {
			return nil
		}
		return wrong("none of them gives that")
	case kBranches:
		if len(t.Sub) != len(s.branches) {
			return wrong("want %d branches", len(s.branches))
		}
		for i, b := range s.branches {
			if len(t.Sub[i]) != len(b) {
				return wrong("branch %d has another length", i)
			}
			for j, inner := range b {
				if err := m.statement(inner, &t.Sub[i][j], round); err != nil {
					return err
				}
			}
		}
		return nil
	case kDetach:
		return expect("detach", "")
	case kSystem:
		if t.K != "system" || t.V == "" || s.n > 1 && t.V != "drawn" {
			return wrong("want a value")
		}
		return nil
	case kStatus:
		return expect("status", "")
	case kScope:
		if t.V == "cancelled" {
			return nil
		}
		return expect("scope", m.activity(s, round, 0))
	case kOpen:
		return expect("open", "")
	case kCall:
		if t.K != kindNames[kCall] || !strings.HasPrefix(t.V, "here ") {
			return wrong("want an answer")
		}
		return nil
	case kShare:
		if s.fails > 0 && t.K == "timeout" {
			return nil
		}
		// That it ended so is for its record to say (checkFamily).
		if t.V != "shared "+sharedName(s.n) && t.V != "!cancelled" && t.V != "!terminated" {
			return wrong("that instance gives nothing such")
		}
		return nil
	case kLeft, kTell:
		return expect(kindNames[s.kind], "")
	}
	return wrong("unknown statement")
}

// oldestFirst is rule 7 for all waits, those of branches too: of the events of
// a name, those that were taken are the ones that were recorded first.
func (m *match) oldestFirst() error {
	for left, at := range m.order {
		for taken := range m.used {
			if !m.used[left] && m.sent[left] == m.sent[taken] && at < m.order[taken] {
				return fmt.Errorf("event %q was taken, and %q, which was recorded ahead of it, was not", taken, left)
			}
		}
	}
	return nil
}
