package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
)

// Builds that diverge from the history, and continue as if nothing were wrong. They differ only in
// what the history already has. Anything new they do as the working build does, so that no history
// contains their defects.

// Defect is what a build does wrong, and at which statement.
type Defect struct {
	Kind string // "", "panic", "nondeterminism", "missing", "kill", "older", "other", "fewer", "cancels", "unreleased", "strict", "lenient", "forgets", "gate"
	At   int
	// Lacks is the program that the build does not have: its version-th version, or the
	// whole program for 0.
	Lacks   *Program
	Version int
	// Recorded reports whether an operation of the statement is in the history that the code
	// replays. Violate reports that the code continued although it diverged.
	Recorded func(info engine.Info, id, round int) bool
	Violate  func(rule, text string)
	// Kill kills the process in which the code runs.
	Kill func()
}

// DefectKinds are the kinds of builds that do not work, in the order of the choice.
var DefectKinds = [...]string{"panic", "nondeterminism", "missing", "kill", "other", "fewer", "cancels", "missing"}

// defective runs a statement as the build does, and reports a violation if it gets past an
// operation that differs from the history.
func (r *interpreter) defective(ctx *engine.Context, s *Statement) (Token, error) {
	rule, run := "", r.statement
	switch {
	case r.defect.Kind != "other" && r.defect.Kind != "fewer", !r.defect.Recorded(ctx.Info(), s.ID, r.round):
	case r.defect.Kind == "other":
		// Rule 3: a different input is a different operation.
		other := *s
		other.ID += 500
		s, rule = &other, "rule 3"
	case s.isSeveral() && s.N > 0:
		// Rule 4: the history has one more operation.
		r.fewer, rule = 1, "rule 4"
		defer func() { r.fewer = 0 }()
	case s.Kind == kRace || s.Kind == kKeep || s.Kind == kBeat:
		// It does not start the timer together with the activity either.
		rule, run = "rule 4", func(ctx *engine.Context, s *Statement) (Token, error) {
			return r.await(ctx, "first", ctx.Activity(r.activity(s, 0)))
		}
	}
	t, err := run(ctx, s)
	if rule != "" && err == nil {
		r.defect.Violate(rule, fmt.Sprintf("%s event: statement %d got through, and is not what history has", ctx.Info().Instance, s.ID))
	}
	return t, err
}

// isSeveral reports whether the statement has several activities and waits for all of them.
func (s *Statement) isSeveral() bool {
	return s.Kind == kJoin || s.Kind == kSettle || s.Kind == kCompleted
}

// threeWaits waits for an event three times at once, cancels one of the waits, and returns
// what the others got.
func (r *interpreter) threeWaits(ctx *engine.Context, s *Statement) (Token, error) {
	t := Token{K: "several"}
	inner, cancel := ctx.WithCancel()
	in := []*engine.Context{ctx, ctx, ctx}
	in[s.Attempts%2] = inner
	var fs []*engine.Future
	for _, c := range in {
		fs = append(fs, c.ExternalEventIf(EventName(s.N), r.acceptor(s)))
	}
	gone := fs[s.Attempts%2]
	took := gone.Ready() // what arrived before the wait
	cancel("one too many")
	var sub []Token
	for _, f := range fs {
		if f == gone && !took {
			continue
		}
		o, err := decoded(r.await(ctx, "event", f))
		if err != nil {
			return t, err
		}
		sub = append(sub, o)
	}
	t.Sub = [][]Token{sub}
	return t, nil
}
