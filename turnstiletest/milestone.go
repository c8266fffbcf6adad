package turnstiletest

import (
	"fmt"
	"time"
)

// happening is an event that a test can wait for.
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

// happened records a happening, and reports whether the test waits for it.
func (e *Env) happened(h happening) (awaited bool) {
	e.happenings = append(e.happenings, h)
	return e.awaited != nil && e.awaited(h)
}

// Milestone is an event for which [Env.RunUntil] waits.
type Milestone struct {
	what    string
	matches func(happening) bool
	// blocked is true for a milestone that is reached when nothing can be done.
	blocked bool
}

// ActivityStarted is reached when an attempt of the activity starts; RunUntil returns before the
// attempt's code, or its mock, runs.
func ActivityStarted(a interface{ Name() string }) Milestone {
	return Milestone{what: "activity " + a.Name() + " starts", matches: named(activityStarted, a.Name())}
}

// TimerCreated is reached when a timer has been recorded: by Sleep, After or the timeout of a wait.
func TimerCreated() Milestone {
	return Milestone{what: "a timer is created", matches: func(h happening) bool { return h.kind == timerCreated }}
}

// TimerCreatedFor is [TimerCreated] for a timer of that duration.
func TimerCreatedFor(d time.Duration) Milestone {
	return Milestone{what: "a timer of " + d.String() + " is created", matches: func(h happening) bool { return h.kind == timerCreated && h.duration == d }}
}

// WithLabel restricts the milestone to operations with this label, including the labels of outer
// contexts: "grace period", "stock / shelf". Timers and waits have labels.
func (m Milestone) WithLabel(label string) Milestone {
	matches := m.matches
	m.what += fmt.Sprintf(" with the label %q", label)
	m.matches = func(h happening) bool { return matches(h) && h.label == label }
	return m
}

// EventAwaited is reached when an orchestration has started to wait for the event.
func EventAwaited(event interface{ Name() string }) Milestone {
	return Milestone{what: "event " + event.Name() + " is waited for", matches: named(eventAwaited, event.Name())}
}

// OrchestrationStarted is reached when an instance of the orchestration, for example a child, has
// completed its first turn.
func OrchestrationStarted(o interface{ Name() string }) Milestone {
	return Milestone{what: "orchestration " + o.Name() + " starts", matches: named(orchestrationStarted, o.Name())}
}

// Idle is reached when the application can do nothing until time passes or the test acts.
func Idle() Milestone { return Milestone{what: "everything waits", blocked: true} }

func named(kind happeningKind, name string) func(happening) bool {
	return func(h happening) bool { return h.kind == kind && h.name == name }
}

// RunUntil lets the application work until the milestone is reached, and returns the instance that
// reached it (empty for [Idle]). It also accepts a milestone that was reached since the previous
// RunUntil, so a test can wait for several in order. The test fails if nothing is left to do and
// the milestone was not reached.
func (e *Env) RunUntil(s Milestone) (instance string) {
	e.t.Helper()
	call := "RunUntil"
	if s.blocked {
		// Drive up to the current time only, so that no virtual time passes.
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
		e.t.Fatalf("turnstiletest: RunUntil: nothing is left to do, and the milestone was not reached: %s\n%s", s.what, e.overview())
	}
	return instance
}
