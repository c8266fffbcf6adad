package turnstiletest

import (
	"fmt"
	"time"
)

// happening is something that a test can wait for.
type happening struct {
	kind     happeningKind
	name     string
	label    string
	instance string
	duration time.Duration
}

type happeningKind uint8

const (
	activityStarted happeningKind = iota + 1
	timerCreated
	eventAwaited
	orchestrationStarted
)

// happened takes note of a happening, and reports whether it is waited for.
func (e *Env) happened(h happening) (awaited bool) {
	e.happenings = append(e.happenings, h)
	return e.awaited != nil && e.awaited(h)
}

// Milestone is something that [Env.RunUntil] waits for.
type Milestone struct {
	what    string
	matches func(happening) bool
	// blocked: it is there when everything rests.
	blocked bool
}

// ActivityStarted is there when an attempt of the activity begins; RunUntil
// returns before its code, or its mock, does anything.
func ActivityStarted(a interface{ Name() string }) Milestone {
	return Milestone{what: "activity " + a.Name() + " starts", matches: named(activityStarted, a.Name())}
}

// TimerCreated is there when a timer has been recorded: by Sleep, After or the
// timeout of a wait.
func TimerCreated() Milestone {
	return Milestone{what: "a timer is created", matches: func(h happening) bool { return h.kind == timerCreated }}
}

// TimerCreatedFor is TimerCreated for a timer of that duration.
func TimerCreatedFor(d time.Duration) Milestone {
	return Milestone{what: "a timer of " + d.String() + " is created", matches: func(h happening) bool { return h.kind == timerCreated && h.duration == d }}
}

// WithLabel is the milestone for what the code gave that label, with those of the contexts
// around it: "grace period", "stock / shelf". Timers and waits have labels.
func (m Milestone) WithLabel(label string) Milestone {
	matches := m.matches
	m.what += fmt.Sprintf(" with the label %q", label)
	m.matches = func(h happening) bool { return matches(h) && h.label == label }
	return m
}

// EventAwaited is there when an orchestration has begun to wait for the event.
func EventAwaited(event interface{ Name() string }) Milestone {
	return Milestone{what: "event " + event.Name() + " is waited for", matches: named(eventAwaited, event.Name())}
}

// OrchestrationStarted is there when an instance of the orchestration has had
// its first turn: a child, say.
func OrchestrationStarted(o interface{ Name() string }) Milestone {
	return Milestone{what: "orchestration " + o.Name() + " starts", matches: named(orchestrationStarted, o.Name())}
}

// Blocked is there when nothing can go on before time passes, or something
// comes from outside.
func Blocked() Milestone { return Milestone{what: "everything waits", blocked: true} }

func named(kind happeningKind, name string) func(happening) bool {
	return func(h happening) bool { return h.kind == kind && h.name == name }
}

// RunUntil lets the application work until the milestone is reached, and returns the
// instance that it came from (none for Blocked). Milestones since the last RunUntil
// count, so a test can wait for several in their order. The test fails when
// everything has come to rest without it.
func (e *Env) RunUntil(s Milestone) (instance string) {
	e.t.Helper()
	call := "RunUntil"
	if s.blocked {
		// No further than to now: nothing waits for time then.
		e.drive(call, e.Now(), func() bool { return false })
		e.seen = len(e.happenings)
		return ""
	}
	e.awaited = s.matches
	defer func() { e.awaited = nil }()
	how := e.drive(call, time.Time{}, func() bool {
		for ; e.seen < len(e.happenings); e.seen++ {
			if h := e.happenings[e.seen]; s.matches(h) {
				instance = h.instance
				e.seen++
				return true
			}
		}
		return false
	})
	if how != done {
		e.t.Fatalf("turnstiletest: RunUntil: everything has come to rest, and it did not happen that %s\n%s", s.what, e.overview())
	}
	return instance
}
