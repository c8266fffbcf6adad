package engine

import (
	"github.com/turnstile-go/turnstile/history"
)

// visit implements rule 5: deliver, never skip. A completion is delivered to the
// operation that its source_event_id names, and the code runs until it rests.
func (x *Execution) visit(e *history.Event) {
	x.progress.Add(1)
	x.cursor.visiting = e.EventID
	// The limit applies to each arrival, not to a batch or a round. So the history does
	// not depend on how arrivals were divided into turns, and arrivals that were recorded
	// while the instance was suspended have the same limit that they would have had.
	x.run.operations = 0
	if stuck := x.decideKept(); stuck != nil {
		x.fail(stuck)
	} else {
		x.deliver(e)
	}
	x.settle()
	if x.stuck != nil && x.stuck.EventID == 0 {
		x.stuck.EventID = e.EventID
	}
	x.cursor.visiting = 0
}

// deliver gives an event to what waits for it.
func (x *Execution) deliver(e *history.Event) {
	switch e.Kind {
	case history.OrchestrationStarted:
		x.startMain(e)
	case history.OrchestrationCancelRequested:
		x.cancelScope(x.root, &CancelledError{What: "instance", Reason: e.Reason})
	case history.ExternalEvent:
		if x.known.takes(e) {
			if stuck := x.deliverExternal(e); stuck != nil {
				x.fail(stuck)
			}
		}
	case history.ParentAttached, history.OrchestrationSuspended, history.OrchestrationResumed:
		// These events have no effect on the code.
	case history.OrchestrationRedriven:
		x.takeOver(e)
	default:
		x.deliverCompletion(e)
	}
}

func (x *Execution) deliverCompletion(e *history.Event) {
	op := x.operation(e.SourceEventID)
	if op == nil || op.state != open {
		// The operation was cancelled or never claimed: the completion is recorded, but
		// delivered to no operation (rule 8).
		return
	}
	if !x.strictAllows(op, e) {
		return
	}
	switch e.Kind {
	case history.ActivityCompleted, history.SubOrchestrationCompleted:
		op.resolve(e.Payload, nil)
	case history.TimerFired:
		op.resolve(nil, nil)
	default:
		f := history.Failure{Kind: history.FailureApplication}
		if e.Failure != nil {
			f = *e.Failure
		}
		op.resolve(nil, &FailureError{What: op.what(), EventID: op.id, Failure: f})
	}
}

// operation returns the open future that claimed a scheduling event, or nil.
func (x *Execution) operation(eventID int64) *Future {
	if eventID < 1 || eventID > int64(x.ops.len()) {
		return nil
	}
	return *x.ops.at(int(eventID) - 1)
}

func (x *Execution) startMain(e *history.Event) {
	def, err := x.cfg.Registry.Lookup(e.Name, e.Version)
	if err != nil {
		x.fail(&StuckError{Kind: StuckNotRegistered, EventID: e.EventID, Message: err.Error(), Err: err})
		return
	}
	x.def = def
	x.info = Info{Instance: x.cfg.Instance, ExecutionID: x.cfg.ExecutionID, Name: e.Name, Version: e.Version}
	x.root = &scope{x: x}
	if e.Start != nil {
		x.info.Headers = e.Start.Headers
		if o := e.Start.Origin; o != nil && o.FirstExecutionID != 0 {
			x.info.ExecutionID = o.FirstExecutionID
			if o.FirstInstance != "" {
				x.info.Instance = o.FirstInstance
			}
		}
		x.search = e.Start.SearchAttributes
		x.states, _ = history.DecodeStates(e.Start.States) // Feed has checked them.
	}
	input := e.Payload
	x.main = x.spawn(&Context{x: x, scope: x.root}, func(c *Context) ([]byte, error) { return def.Func(c, input) })
}
