package engine

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// Rule 11: stuck, not dead. When the code can't go on, rounds that came to
// rest before are committed; the arrival at which it happened, and those
// behind it, are recorded without answers, for they are facts.

// fail notes why the code can't go on; the first reason counts.
func (x *Execution) fail(err *StuckError) {
	if x.stuck != nil {
		return
	}
	err.Instance, err.ExecutionID = x.cfg.Instance, x.cfg.ExecutionID
	x.stuck = err
}

func (x *Execution) nondeterminism(rule int, eventID int64, recorded, attempted, location string) {
	x.fail(x.disagreement(rule, eventID, recorded, attempted, location))
}

// disagreement returns why code and history disagree.
func (x *Execution) disagreement(rule int, eventID int64, recorded, attempted, location string) *StuckError {
	patch, hint := x.patchOf(eventID)
	err := &NondeterminismError{Instance: x.cfg.Instance, ExecutionID: x.cfg.ExecutionID, EventID: eventID,
		Rule: rule, Recorded: recorded, Attempted: attempted + hint, Location: location}
	return &StuckError{Kind: StuckNondeterminism, EventID: eventID, Message: err.Error(), Patch: patch, Err: err}
}

// checkDeadlock: coroutines that all wait for each other, with nothing left
// that could come, are stuck for that reason. Arrivals still to be taken may
// change that, if they count at all.
func (x *Execution) checkDeadlock() {
	if x.stuck != nil || x.end != nil || x.openOps > 0 || x.main == nil {
		return
	}
	for i := range x.run.left {
		if x.judge(&x.run.left[i]).Kind == Recorded {
			return
		}
	}
	var places []string
	for _, c := range x.coroutines {
		places = append(places, c.where())
	}
	x.fail(&StuckError{Kind: StuckDeadlock, EventID: int64(x.events.len()), Message: fmt.Sprintf(
		"nothing to wait for: no activity, timer, external event or sub-orchestration is open, and the code waits at %s", strings.Join(places, " and at "))})
}

// park records an arrival without running code.
func (x *Execution) park(a *Arrival) Verdict {
	a = x.attaching(a)
	v := x.ledger.judge(a)
	if v.Kind != Recorded {
		return v
	}
	first := x.appendArrival(a)
	x.parkedTo = int64(x.events.len())
	return Verdict{Kind: Recorded, EventID: int64(first) + 1}
}

// failInstead applies the policy "fail": an imposed end in place of being
// stuck. An execution is never failed for code that another build has, and this
// one does not: an orchestration, or a patch.
func (x *Execution) failInstead() bool {
	if x.stuck == nil || x.stuck.Kind == StuckNotRegistered || x.stuck.Patch != "" || x.events.len() == 0 || x.ledger.ended {
		return false
	}
	def := x.def
	if def == nil {
		def, _ = x.cfg.Registry.Lookup(x.events.at(0).Name, x.events.at(0).Version)
	}
	if !x.cfg.Options.FailWhenStuck && (def == nil || !def.FailWhenStuck) {
		return false
	}
	kind := history.FailureStuck
	if x.stuck.Kind == StuckPanic {
		kind = history.FailurePanic
	}
	x.appendImposed(history.ImposedPolicy, "", history.Failure{
		Kind: kind, Message: x.stuck.Message, Source: x.events.at(0).Name, Stack: x.stuck.Stack})
	x.stuck, x.run.instead = nil, x.stuck
	return true
}
