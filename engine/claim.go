package engine

import (
	"bytes"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
)

// Normalizer re-encodes a payload through the current type of the code, so that adding
// a field to the type does not count as a different input (rule 3). If nil, only bytes
// are compared.
type Normalizer func([]byte) ([]byte, error)

// schedule implements rule 3: when the code starts an operation, it immediately claims
// the next unclaimed scheduling event of the round or, in a live round, appends a new
// one. Position is identity: two operations with equal name and input are two events.
//
// want has all fields that identify the operation, and fields that are recorded but not
// compared.
func (x *Execution) schedule(want *history.Event, normalize Normalizer) (*history.Event, error) {
	if want.FireAtMS != 0 {
		want.DurationMS = max(want.FireAtMS-x.recordedMS(), 0)
	}
	if x.cursor.live {
		if x.cfg.Options.ReadOnly {
			return nil, x.suspend()
		}
		if x.run.operations >= x.cfg.Options.MaxOperations {
			return nil, x.giveUp(&StuckError{Kind: StuckLimit, EventID: x.cursor.visiting, Message: fmt.Sprintf(
				"the code scheduled more than %d operations in response to one arrival, the last one %s at %s; await results in between, or raise the limit", x.cfg.Options.MaxOperations, x.describe(want), x.caller())})
		}
		x.run.operations++
		if want.Kind == history.TimerCreated {
			want.FireAtMS = x.run.nowMS + max(want.DurationMS, 0)
		}
		e := x.append(want)
		if e.Instance == "" && (e.Kind == history.SubOrchestrationScheduled || e.Kind == history.OrchestrationChained) {
			e.Instance = redriving.ChildInstance(x.cfg.Instance, x.cfg.ExecutionID, e.EventID)
		}
		x.cursor.scheduled = e.EventID
		return e, nil
	}
	if x.cursor.claim >= x.cursor.claimEnd {
		return nil, x.giveUp(x.extraOperation(want))
	}
	e := x.events.at(x.cursor.claim)
	if difference := compare(e, want, normalize); difference != "" {
		return nil, x.giveUp(x.disagreement(3, e.EventID, x.describe(e), "started "+x.describe(want)+" ("+difference+" differs)", x.caller()))
	}
	x.cursor.claim++
	x.cursor.scheduled = e.EventID
	return e, nil
}

// recordedMS returns the time at which the operation that the code is starting was recorded, or
// will be recorded.
func (x *Execution) recordedMS() int64 {
	if !x.cursor.live && x.cursor.claim < x.cursor.claimEnd {
		return x.events.at(x.cursor.claim).AtMS
	}
	return x.run.nowMS
}

// extraOperation returns the error for code that starts a further operation after it has
// claimed all scheduling events of the round.
func (x *Execution) extraOperation(want *history.Event) *StuckError {
	id, recorded := int64(x.cursor.claimEnd), "no further operation in this round, which ends with "+x.describe(x.events.at(x.cursor.claimEnd-1))
	if x.cursor.claimEnd < x.events.len() {
		next := x.events.at(x.cursor.claimEnd)
		id, recorded = next.EventID, x.describe(next)+" and no further operation before it"
	}
	return x.disagreement(3, id, recorded, "started "+x.describe(want), x.caller())
}

// compare returns the name of the first property in which the recorded scheduling event
// differs from the operation that the code starts now, or "" if they match.
func compare(e, want *history.Event, normalize Normalizer) string {
	switch {
	case e.Kind != want.Kind:
		return "kind"
	case e.Name != want.Name:
		return "name"
	case e.Op != want.Op, e.Forced != want.Forced:
		return "operation"
	case e.Version != want.Version:
		return "version"
	case e.ExplicitID != want.ExplicitID, e.ExplicitID && e.Instance != want.Instance:
		return "instance"
	case e.DurationMS != want.DurationMS:
		return "duration"
	case e.Inline != want.Inline:
		return "inline or queued"
	case e.Reason != want.Reason:
		return "reason"
	case e.Op == history.OpAnswerUpdate && e.SourceEventID != want.SourceEventID:
		return "update"
	case e.Op == history.OpAnswerUpdate && !sameFailure(e.Failure, want.Failure):
		return "failure"
	case (e.Kind != history.SystemCall || e.Op == history.OpRaiseEvent || e.Op == history.OpAnswerUpdate) && !sameInput(e.Payload, want.Payload, normalize):
		return "input"
	}
	return ""
}

func sameFailure(recorded, now *history.Failure) bool {
	if recorded == nil || now == nil {
		return recorded == now
	}
	return recorded.Kind == now.Kind && recorded.Message == now.Message && recorded.Code == now.Code
}

func sameInput(recorded, now []byte, normalize Normalizer) bool {
	if bytes.Equal(recorded, now) {
		return true
	}
	if normalize == nil {
		return false
	}
	a, err := normalize(recorded)
	if err != nil {
		return false
	}
	b, err := normalize(now)
	return err == nil && bytes.Equal(a, b)
}
