package engine

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/history"
)

// Rule 11: stuck, not dead. If the code cannot continue, the rounds that came to rest
// before are committed. The arrival at which it failed and the arrivals after it are
// recorded without running code, because they are facts.

// fail notes why the code cannot continue; only the first reason is kept.
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

// disagreement returns the error for code that disagrees with the history.
func (x *Execution) disagreement(rule int, eventID int64, recorded, attempted, location string) *StuckError {
	patch, hint := x.patchOf(eventID)
	err := &NondeterminismError{Instance: x.cfg.Instance, ExecutionID: x.cfg.ExecutionID, EventID: eventID,
		Rule: rule, Recorded: recorded, Attempted: attempted + hint, Location: location}
	return &StuckError{Kind: StuckNondeterminism, EventID: eventID, Message: err.Error(), Patch: patch, Err: err}
}

// checkDeadlock makes the code stuck if all coroutines wait and nothing that could wake
// them is open. An update that the code handles may always arrive. Arrivals that are still to be processed may wake them if they will be
// recorded.
func (x *Execution) checkDeadlock() {
	if x.stuck != nil || x.end != nil || x.openOps > 0 || len(x.updates) > 0 || x.main == nil || x.cfg.Options.ReadOnly {
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
		"deadlock: the code waits at %s, but no activity, timer, external event or sub-orchestration is open", strings.Join(places, " and at "))})
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

// failInstead applies the policy "fail": it ends the execution instead of leaving it
// stuck. It never fails an execution because this build lacks an orchestration or a patch
// that another build has.
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
	x.appendForced(history.ForcedByPolicy, "", history.Failure{
		Kind: kind, Message: x.stuck.Message, Source: x.events.at(0).Name, Stack: x.stuck.Stack})
	x.stuck, x.run.instead = nil, x.stuck
	return true
}
