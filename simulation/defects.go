package simulation

import (
	"encoding/json"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Builds that do something else than history has, and go on as if nothing were
// wrong. What they did already they do otherwise; what they did not yet they do as
// the build that works, so that nothing of them stands in a history.

// defect of a build: what it does wrong, and at which statement.
type defect struct {
	kind string // "", "panic", "nondeterminism", "missing", "kill", "older", "other", "fewer", "cancels", "unreleased", "strict"
	at   int
	// lacks is the program that the build does not have: its version-th version,
	// or all of it for 0.
	lacks   *program
	version int
	// recorded reports whether an operation of the statement stands in the
	// history that the code is run against; violate is told that the code went
	// on though it did something else.
	recorded func(info engine.Info, id, round int) bool
	violate  func(rule, text string)
	// kill ends the process in which the code runs.
	kill func()
}

// defectKinds are the builds that do not work, in the order of the choice.
var defectKinds = [...]string{"panic", "nondeterminism", "missing", "kill", "other", "fewer", "cancels", "missing"}

// defective runs a statement as the build does, and sees to it that it does
// not get through with another one than history has.
func (r *interpreter) defective(ctx *engine.Context, s *statement) (token, error) {
	rule, run := "", r.statement
	switch {
	case r.defect.kind != "other" && r.defect.kind != "fewer", !r.defect.recorded(ctx.Info(), s.id, r.round):
	case r.defect.kind == "other":
		// Rule 3: another input is another operation.
		other := *s
		other.id += 500
		s, rule = &other, "rule 3"
	case s.isSeveral() && s.n > 0:
		// Rule 4: history has one more.
		r.fewer, rule = 1, "rule 4"
		defer func() { r.fewer = 0 }()
	case s.kind == kRace || s.kind == kKeep || s.kind == kBeat:
		// Nor does it start the timer beside the activity.
		rule, run = "rule 4", func(ctx *engine.Context, s *statement) (token, error) {
			return r.await(ctx, "first", ctx.Activity(r.activity(s, 0)))
		}
	}
	t, err := run(ctx, s)
	if rule != "" && err == nil {
		r.defect.violate(rule, fmt.Sprintf("%s event: statement %d got through, and is not what history has", ctx.Info().Instance, s.id))
	}
	return t, err
}

// isSeveral: the statement has several activities, all of which it waits for.
func (s *statement) isSeveral() bool {
	return s.kind == kJoin || s.kind == kSettle || s.kind == kCompleted
}

// hasRecorded reports whether the history that the running process knows has
// an activity of the statement.
func (w *World) hasRecorded(info engine.Info, id, round int) bool {
	key := executionKey{info.Instance, info.ExecutionID}
	x := w.shadow.executions[key]
	if x == nil {
		return false
	}
	for i := range x.events[:min(w.executing.seen[key], int64(len(x.events)))] {
		var in work
		if e := &x.events[i]; e.Kind == history.ActivityScheduled && json.Unmarshal(e.Payload, &in) == nil && in.ID == id && in.Round == round {
			return true
		}
	}
	return false
}

// threeWaits waits for an event three times at once, cancels one of the waits,
// and gives what the others got.
func (r *interpreter) threeWaits(ctx *engine.Context, s *statement) (token, error) {
	t := token{K: "several"}
	inner, cancel := ctx.WithCancel()
	in := []*engine.Context{ctx, ctx, ctx}
	in[s.attempts%2] = inner
	var fs []*engine.Future
	for _, c := range in {
		fs = append(fs, c.ExternalEvent(eventName(s.n)))
	}
	gone := fs[s.attempts%2]
	took := gone.Ready() // what came before the wait
	cancel("one too many")
	var sub []token
	for _, f := range fs {
		if f == gone && !took {
			continue
		}
		o, err := r.await(ctx, "event", f)
		if err != nil {
			return t, err
		}
		sub = append(sub, o)
	}
	t.Sub = [][]token{sub}
	return t, nil
}
