package dispatch

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// An instance with a limit is suspended from its start until the limit's coordinator resumes it, and
// a redrive waits in the same way. The open operations that a redrive copies are held back until its
// code has run and agrees with the copied events.

// asks requests a permit from the coordinator of a limit. The request is a start message, which
// also creates the coordinator if necessary. If the request does not fit into a message, the
// instance would wait for ever, so it is terminated.
func (out *Outbox) asks(c *Commit, e *history.Event) {
	question := coordination.Question{
		Request: coordination.Request{Instance: c.Instance, Name: c.Name, ExecutionID: c.ExecutionID, EventID: e.EventID, SinceMS: e.AtMS},
		N:       e.Limit,
	}
	item := wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: coordination.InstanceID(e.LimitKey), Name: coordination.Orchestration,
		Input: coordination.First(e.LimitKey), ID: c.id("gate", e.EventID), OnConflict: wire.ConflictUseExisting, Headers: c.headers(out.Propagate, nil),
		Events: []wire.StartEvent{{ID: c.id("question", e.EventID), Name: coordination.Questions, Data: question.JSON()}}}
	if err := out.Send(&item); err != nil {
		out.unasked(c, e, err)
		return
	}
	out.ifRejected(func(out *Outbox, err error) { out.unasked(c, e, err) })
	out.note("question", e.EventID, item.Instance)
}

// unasked terminates an instance whose request for a permit does not fit into a message.
func (out *Outbox) unasked(c *Commit, e *history.Event, why error) {
	if edge.NotEncoded(why) {
		out.failed(why)
		return
	}
	item := wire.Item{V: wire.Version, Kind: wire.TerminateInstance, Instance: c.Instance, ExecutionID: c.ExecutionID, ID: c.id("unasked", e.EventID),
		Reason: fmt.Sprintf("it cannot request a permit of the limit %q: %v", e.LimitKey, why)}
	if err := out.Send(&item); err != nil {
		out.failed(fmt.Errorf("requesting a permit of the limit %[3]q for instance %[1]q execution %[2]d: %[4]w", c.Instance, c.ExecutionID, e.LimitKey, errors.Join(why, err)))
		return
	}
	out.note("terminate", e.EventID, c.Instance)
}

// letGo sends the operations that were held back until the code agreed.
func (out *Outbox) letGo(c *Commit, resumed *history.Event, cancelled map[int64]bool) {
	timers := inTime(c.Held)
	for i := range c.Held {
		e := timers.instead(&c.Held[i])
		if !cancelled[e.EventID] && !c.HeldDone[e.EventID] {
			out.place.at = position{c.ExecutionID, resumed.EventID, 1 + i}
			out.takenOver(c, e, resumed.AtMS)
		}
	}
}

// cancelHeld cancels an operation that is still held back, which this execution has not sent. Only
// a child that was open in the previous execution may be running, so the cancel names the
// execution that started it.
func (out *Outbox) cancelHeld(c *Commit, eventID int64) {
	e, o, since := &c.Held[eventID-1], c.Start.Origin, KeyOf(c.Start, eventID)
	if e.Kind != history.SubOrchestrationScheduled || since == nil || o.Instance != c.Instance {
		return
	}
	by := since.ExecutionID
	if since.Instance != c.Instance {
		by = o.ForkedExecutionID
	}
	out.cancel(c, eventID, opened(e), by)
}
