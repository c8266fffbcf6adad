package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// Match verifies that a transcript is one that a fault-free run of the program could produce. It
// knows what each statement may return, but not how the result was produced.
type Match struct {
	Programs Programs
	// Sent are the events that were sent to the instance: name by payload.
	Sent map[string]string
	// Wrong are the events of Sent whose data cannot be decoded; Rejected are the events that a
	// wait rejected, nil if not known. Lenient is set if a build may have run in which other waits
	// reject.
	Wrong    []string
	Rejected map[string]bool
	Lenient  bool
	// Used are the events that are in the transcript.
	Used map[string]bool
	// Order is the position at which each event was first recorded; nil if not known.
	Order map[string]int
	// Excused are the kinds of failure that faults of the run explain.
	Excused map[string]bool
	// Ended is set if clients cancelled or terminated children.
	Ended bool
	// Purged is set if an instance whose id a program uses for a child may have been purged.
	Purged bool
	// Redriven is set if an event that one wait had rejected may be available again for another.
	Redriven bool
	// Cancelled is set if an earlier execution was cancelled, and a child that a redrive has
	// attached again may have been cancelled with it.
	Cancelled bool
	// Versions are those that its executions recorded; nil if not known.
	Versions []string
}

// Transcript matches the output of a program.
func (m *Match) Transcript(p *Program, output []byte, mayBeCancelled bool) error {
	var out []Token
	if err := json.Unmarshal(output, &out); err != nil {
		return fmt.Errorf("%s is not a transcript: %w", output, err)
	}
	if p.Fails && (len(out) == 0 || out[len(out)-1].K != "cancelled") {
		return fmt.Errorf("the program should fail at its end, but has completed with %s", output)
	}
	last := map[string]int{}
	for round := range p.Rounds {
		if round > 0 && p.Versions != nil && isCancelled(out) {
			return m.cleanUp(p, out[0].V, round, true, mayBeCancelled)
		}
		var err error
		if out, err = m.version(p, out, round); err != nil {
			return err
		}
		for _, s := range p.Body {
			if len(out) == 0 {
				return fmt.Errorf("the transcript ends before statement %d in round %d", s.ID, round)
			}
			if isCancelled(out) {
				return m.cleanUp(p, out[0].V, round, s == p.Body[0], mayBeCancelled)
			}
			if err := m.statement(s, &out[0], round); err != nil {
				return fmt.Errorf("statement %d in round %d: %w", s.ID, round, err)
			}
			if at, ok := m.Order[out[0].V]; ok && (s.Kind == kEvent || s.Kind == kEventOr || s.Kind == kHold) {
				// Rule 7: first in, first out, by name.
				name := EventName(s.N)
				if at < last[name] {
					return fmt.Errorf("statement %d in round %d took event %q, which was recorded before one that was taken earlier", s.ID, round, out[0].V)
				}
				last[name] = at
			}
			out = out[1:]
		}
	}
	if err := m.oldestFirst(); err != nil {
		return err
	}
	if isCancelled(out) {
		return m.cleanUp(p, out[0].V, p.Rounds, true, mayBeCancelled)
	}
	if len(out) != 0 {
		return fmt.Errorf("the transcript continues after the program's end: %v", out)
	}
	return nil
}

// isCancelled reports whether what is left of a transcript shows that the program was cancelled.
func isCancelled(out []Token) bool { return len(out) == 1 && out[0].K == "cancelled" }

// cleanUp matches the result of the clean-up of a program that was cancelled in a round, or, at the start of a
// round, while it waited for the handlers of the previous one.
func (m *Match) cleanUp(p *Program, got string, round int, starts, mayBeCancelled bool) error {
	if !mayBeCancelled || !p.Catches {
		return fmt.Errorf("it was cancelled, although nothing cancelled it")
	}
	want := Work{ID: 999, Round: round}.Result()
	if round < p.Rounds && m.is(got, want) {
		return nil
	}
	// A round without statements leaves nothing in the transcript.
	waits := starts && p.Updates != nil && (p.Updates.Finishes || p.Updates.Calls && p.Updates.Awaits)
	for n := round - 1; waits && n >= 0 && (n == round-1 || len(p.Body) == 0); n-- {
		if m.is(got, Work{ID: 999, Round: n}.Result()) {
			return nil
		}
	}
	return fmt.Errorf("the clean-up returned %q, not %q", got, want)
}

func (m *Match) is(got, want string) bool {
	return unmarked(got) == want || strings.HasPrefix(got, "!") && m.Excused[got[1:]]
}

// activity returns the result of the i-th activity of a statement.
func (m *Match) activity(s *Statement, round, i int) string {
	if s.failures(i) >= max(s.Attempts, 1) {
		return "!application"
	}
	return Work{ID: s.ID, Round: round, I: i}.Result()
}

func (m *Match) statement(s *Statement, t *Token, round int) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s gave %+v: %s", KindNames[s.Kind], *t, fmt.Sprintf(format, args...))
	}
	expect := func(k, want string) error {
		if t.K != k || !m.is(t.V, want) {
			return wrong("want %s %q", k, want)
		}
		return nil
	}
	if t.ID != s.ID {
		return wrong("it is the token of another statement")
	}
	switch s.Kind {
	case kPolicy, kBeat, kOnce, kPending, kSteps, kTimeout, KindPatched, kDeadly:
		return m.policy(s, t, round)
	case kInline:
		if t.V == "!application" && s.Fails > 0 && m.Excused[history.FailureTimeout] {
			return nil // Its next attempt did not fit into the invocation.
		}
		return expect("act", m.activity(s, round, 0))
	case kAct, kKeep:
		return expect("act", m.activity(s, round, 0))
	case kTimer, kUntil:
		return expect("timer", "")
	case kRace:
		if t.K == "timeout" {
			return nil
		}
		return expect("first", m.activity(s, round, 0))
	case kLosers:
		return expect("winner", "")
	case kSaga:
		return m.saga(s, t, round)
	case kLook:
		return m.looked(s, t, round)
	case kEvent, kEventOr, kHold:
		if s.Kind != kEvent && t.K == "timeout" {
			return nil
		}
		if problem := m.event(s, t); problem != "" {
			return wrong("%s", problem)
		}
		return nil
	case kWaits:
		if t.K != "several" || len(t.Sub) != 1 || len(t.Sub[0]) != 2 && len(t.Sub[0]) != 3 {
			return wrong("want two or three events")
		}
		for i := range t.Sub[0] {
			if err := m.statement(&Statement{Kind: kEvent, N: s.N, Rejects: s.Rejects}, &t.Sub[0][i], round); err != nil {
				return err
			}
		}
		return nil
	case kChild, kWithin:
		if s.Kind == kWithin && t.K == "timeout" {
			return nil
		}
		p := m.Programs[s.N]
		if strings.HasPrefix(t.V, "!") {
			if p.Fails && t.V == "!application" || m.Excused[t.V[1:]] ||
				(m.Cancelled || m.Redriven && s.Kind == kWithin) && t.V == "!"+history.FailureCancelled ||
				m.Ended && (t.V == "!"+history.FailureCancelled || t.V == "!"+history.FailureTerminated) {
				return nil
			}
			return wrong("the child does not fail")
		}
		child := Match{Programs: m.Programs, Sent: m.Sent, Wrong: m.Wrong, Lenient: m.Lenient, Used: map[string]bool{}, Excused: m.Excused, Ended: m.Ended, Purged: m.Purged, Redriven: m.Redriven, Cancelled: m.Cancelled}
		// A child that lost against a timer may still exist when the parent continues from
		// before that.
		return child.Transcript(p, []byte(t.V), m.Ended || m.Cancelled || m.Redriven && s.Kind == kWithin)
	case kJoin, kSettle, kCompleted:
		if t.K != "several" || len(t.Sub) != 1 || len(t.Sub[0]) != s.N+1 {
			return wrong("want %d results", s.N+1)
		}
		for i, o := range t.Sub[0] {
			if want := m.activity(s, round, i); !m.is(o.V, want) {
				return wrong("want %q at %d", want, i)
			}
		}
		return nil
	case kAny:
		for i := range s.N + 1 {
			want := m.activity(s, round, i)
			if !strings.HasPrefix(want, "!") && unmarked(t.V) == fmt.Sprintf("%d:%s", i, want) {
				return nil
			}
		}
		if t.V == "!" && len(m.Excused) > 0 {
			return nil
		}
		return wrong("none of them returns that")
	case kBranches:
		if len(t.Sub) != len(s.Branches) {
			return wrong("want %d branches", len(s.Branches))
		}
		for i, b := range s.Branches {
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
		if t.K != "system" || t.V == "" || s.N > 1 && t.V != "drawn" {
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
	case kWithdrawn:
		if t.V == "cancelled" {
			return nil
		}
		return expect(KindNames[kWithdrawn], m.activity(s, round, 0))
	case kOpen:
		return expect("open", "")
	case kCall:
		if t.K != KindNames[kCall] || !strings.HasPrefix(t.V, "here ") {
			return wrong("want an answer")
		}
		return nil
	case kShare:
		if s.Fails > 0 && t.K == "timeout" {
			return nil
		}
		// Its record shows that it ended so (checkFamily).
		if t.V != "shared "+sharedName(s.N) && t.V != "!cancelled" && t.V != "!terminated" && !(m.Purged && t.V == "!"+history.FailurePurged) && !m.Excused[strings.TrimPrefix(t.V, "!")] {
			return wrong("that instance does not return that")
		}
		return nil
	case kLeft, kTell:
		return expect(KindNames[s.Kind], "")
	}
	return wrong("unknown statement")
}

// oldestFirst is rule 7 for all waits, also in branches: the events of a name that were
// taken or rejected are the ones that were recorded first.
func (m *Match) oldestFirst() error {
	for left, at := range m.Order {
		if m.Used[left] || m.Rejected[left] || m.Sent[left] == "" {
			continue
		}
		for taken := range m.Used {
			if m.Sent[left] == m.Sent[taken] && at < m.Order[taken] {
				return fmt.Errorf("event %q was taken, but %q, which was recorded before it, was not", taken, left)
			}
		}
		for gone := range m.Rejected {
			if m.Sent[left] == m.Sent[gone] && at < m.Order[gone] {
				return fmt.Errorf("event %q was rejected, but %q, which was recorded before it, was neither taken nor rejected", gone, left)
			}
		}
	}
	return nil
}

// version matches the token with which an execution records the version that it ran.
func (m *Match) version(p *Program, out []Token, round int) ([]Token, error) {
	if p.Versions == nil {
		return out, nil
	}
	if len(out) == 0 || out[0].K != "version" || !slices.Contains(p.Versions, out[0].V) {
		return nil, fmt.Errorf("round %d does not start with its version: %v", round, out)
	}
	if round < len(m.Versions) && out[0].V != m.Versions[round] {
		return nil, fmt.Errorf("round %d ran version %q, but has recorded %q", round, out[0].V, m.Versions[round])
	}
	return out[1:], nil
}
