package dispatch

import (
	"cmp"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// takenOver sends a copied operation again, as if it had been scheduled at the time of the redrive:
// an activity has the full time of its limits, and a timer its remaining time. An activity that was
// open keeps its idempotency key. A child that is running or has completed is reused; a failed
// child is redriven too.
//
// A fork has its own children: forks of the children of the original instance. A child whose id the
// code chose is not forked, but started like any other.
func (out *Outbox) takenOver(c *Commit, e *history.Event, atMS int64) {
	switch e.Kind {
	case history.ActivityScheduled:
		out.activity(c, e, atMS)
	case history.TimerCreated:
		out.timer(c, e)
	case history.SubOrchestrationScheduled:
		switch {
		case c.Start.Origin.Instance == c.Instance:
			// The child of a fork that was redriven before the child started must still be forked.
			var of *history.Origin
			if e.ForkOf != "" {
				of = &history.Origin{Instance: e.ForkOf}
			}
			out.child(c, e, wire.ConflictUseOrRedrive, of)
		case e.ForkOf != "":
			out.child(c, e, wire.ConflictRefuse, &history.Origin{Instance: e.ForkOf})
		default:
			out.child(c, e, onConflict(e), nil)
		}
	}
}

// KeyOf returns the event from which an activity's idempotency key derives; nil for the activity's
// own event.
func KeyOf(start *history.Start, eventID int64) *history.Origin {
	if start.Origin == nil {
		return nil
	}
	carried := start.Origin.Carried
	i, found := slices.BinarySearchFunc(carried, eventID, func(c history.Carried, id int64) int { return int(c.EventID - id) })
	if !found {
		return nil
	}
	return &history.Origin{Instance: cmp.Or(carried[i].Instance, start.Origin.Instance), ExecutionID: carried[i].ExecutionID, EventID: eventID}
}
