package dispatch

import (
	"cmp"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/redriving"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A redrive commits what it takes over from the execution before together with what the
// code does next. Of what it takes over, what is open is sent: it is started anew in the
// new execution. Its messages to others are not sent again.

// taken is what a commit has taken over.
type taken struct {
	// last is the last event that was taken over, 0 for none; at is when.
	last, at int64
	// held: the execution waits for its turn under a limit, and none of it is sent before.
	held bool
	// open are its scheduling events that have no completion after the commit.
	open map[int64]bool
}

func takenOver(t *store.Turn) (k taken) {
	if t.First() > 1 {
		return k
	}
	for i := len(t.Events) - 1; i > 0 && k.last == 0; i-- {
		if t.Events[i].Kind == history.OrchestrationRedriven {
			k.last, k.at = int64(i), t.Events[i].AtMS
		}
	}
	if k.last == 0 {
		return k
	}
	k.held = redriving.Holds(t.Events, k.last)
	open := Work{}
	open.Add(t.Events)
	k.open = make(map[int64]bool, len(open))
	for id := range open {
		k.open[id] = id <= k.last
	}
	return k
}

// takenOver sends again what was taken over, as if it had been scheduled at the time of
// the redrive: an activity has all the time that its limits give it, a timer what is left
// of its own. An activity that was open has the idempotency key that it had. A child that
// runs, or has completed, is used; one that failed goes on where it did.
//
// A fork has children of its own: forks of the children of the instance from which it was
// forked. A child whose id the code has chosen is another's: it is started like any.
func (out *Outbox) takenOver(c *Commit, e *history.Event, atMS int64) {
	switch e.Kind {
	case history.ActivityScheduled:
		anew := *e
		anew.AtMS = atMS
		out.activity(c, &anew)
	case history.TimerCreated:
		out.timer(c, e)
	case history.SubOrchestrationScheduled:
		switch {
		case c.Start.Origin.Instance == c.Instance:
			out.child(c, e, wire.ConflictUseOrRedrive, nil)
		case e.ForkOf != "":
			out.child(c, e, wire.ConflictRefuse, &history.Origin{Instance: e.ForkOf})
		default:
			out.child(c, e, onConflict(e), nil)
		}
	}
}

// goesOn reports whether an event that a commit has taken over is the start of a child that
// went on when the execution before ended: if the code has cancelled it, the commit attaches
// the execution to no child, and yet the child has to hear of that.
func goesOn(c *Commit, eventID int64) bool {
	return c.Events[eventID-1].Kind == history.SubOrchestrationScheduled && c.Start.Origin.Instance == c.Instance && KeyOf(c.Start, eventID) != nil
}

// KeyOf is the place whose idempotency key an activity has; nil for its own.
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
