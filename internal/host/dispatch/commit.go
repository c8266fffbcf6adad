package dispatch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/header"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Commit is a commit of one execution whose actions are to be sent, for the first
// time or again.
type Commit struct {
	*store.Turn
	// Start and Name belong to the execution.
	Start *history.Start
	Name  string
	// Done are its scheduling events whose completion is known, so that they are not
	// sent again. Nil where the commit has just been made.
	Done map[int64]bool
	// Opened is what the scheduling events of earlier commits asked for that this one
	// cancelled. It may have more.
	Opened Work
	// Held are the events that a redrive has taken over, where the commit ends the wait for
	// its turn under a limit: what is open of them is sent now. HeldDone are those whose
	// completion is known.
	Held     []history.Event
	HeldDone map[int64]bool
	// Parents that are told of its end besides the one that started the execution.
	Parents []*history.Parent
}

// Ends reports whether the instance ends with the commit of a turn, so that a parent
// or a subscriber may have to be told.
func Ends(t *store.Turn) bool {
	end := t.Events[len(t.Events)-1].Kind
	return end.Terminal() && end != history.OrchestrationContinuedAsNew
}

// Add adds the messages that follow from a commit.
func (out *Outbox) Add(c Commit) {
	cancelled := make(map[int64]bool, len(c.Cancelled))
	for _, id := range c.Cancelled {
		cancelled[id] = true
	}
	out.place.row.goOn(c.Turn)
	taken := takenOver(c.Turn)
	before, after := inTime(c.Events[:taken.last]), inTime(c.Events[taken.last:])
	for i := range c.Events {
		e := &c.Events[i]
		out.place.at = position{c.ExecutionID, e.EventID, 0}
		e = before.instead(after.instead(e))
		if e.EventID <= taken.last {
			if taken.open[e.EventID] && !taken.held && !cancelled[e.EventID] && !c.Done[e.EventID] {
				out.takenOver(&c, e, taken.at)
			}
			continue
		}
		out.Chain.follow(c.Turn, e)
		out.moment(&c, e)
		// An operation that the same turn scheduled and cancelled is never
		// sent.
		closed := e.Inline || cancelled[e.EventID] || c.Done[e.EventID]
		switch {
		case e.Kind == history.OrchestrationChained:
			// It has no completion: whether it was sent is not known.
			out.detached(&c, e)
		case e.Kind == history.SystemCall:
			out.message(&c, e)
		case e.Kind == history.TimerFired:
			out.fired(&c, e)
		case e.Kind == history.OrchestrationSuspended && e.LimitKey != "" && !closed:
			out.asks(&c, e)
		case e.Kind == history.OrchestrationSuspended && e.FireAtMS > 0 && !closed:
			out.resumes(&c, e)
		case e.Kind == history.OrchestrationResumed && c.Held != nil:
			out.letGo(&c, e, cancelled)
		case closed:
		case e.Kind == history.ActivityScheduled:
			out.activity(&c, e)
		case e.Kind == history.TimerCreated:
			out.timer(&c, e)
		case e.Kind == history.SubOrchestrationScheduled:
			out.child(&c, e, onConflict(e), nil)
		}
	}
	for i, id := range c.Cancelled {
		out.place.at = position{c.ExecutionID, c.Last(), 1 + i}
		switch { // What it scheduled, or took over, itself was not sent.
		case id < c.First():
			out.cancel(&c, id, c.Opened[id])
		case id <= taken.last && goesOn(&c, id):
			out.cancel(&c, id, opened(&c.Events[id-1]))
		}
	}
	out.place.at = position{c.ExecutionID, c.Last(), 1 + len(c.Cancelled)}
	if Ends(c.Turn) {
		end, headers := &c.Events[len(c.Events)-1], out.headers(&c, nil)
		if c.Start.Parent != nil {
			out.Parent(c.Start.Parent, c.Instance, c.Name, end, headers)
		}
		for _, p := range c.Parents {
			out.Parent(p, c.Instance, c.Name, end, headers)
		}
	}
	out.Chain.commits(c.Turn)
}

// token returns the token of a scheduling event. It differs from the one sent before
// if another key has become the current one since; both are valid.
func (out *Outbox) token(c *Commit, eventID int64) string {
	return out.Keys.Token(c.Instance, c.ExecutionID, eventID)
}

// headers adds the headers of the commit to others, if they fit beside them.
func (out *Outbox) headers(c *Commit, others map[string]string) map[string]string {
	if out.Propagate == nil {
		return others
	}
	all := header.Merge(others, out.Propagate(c.Instance, c.ExecutionID, c.First()))
	if wire.CheckHeaders(all) != nil {
		return others
	}
	return all
}

// startHeaders are the headers of the operation that an event starts.
func (out *Outbox) startHeaders(c *Commit, e *history.Event) map[string]string {
	return out.headers(c, header.Merge(c.Start.Headers, e.Headers))
}

func (out *Outbox) parentOf(c *Commit, eventID int64) *wire.Parent {
	return &wire.Parent{Instance: c.Instance, ExecutionID: c.ExecutionID, EventID: eventID, Token: out.token(c, eventID)}
}

// cancelReason returns why a turn cancelled what it did, and whether it
// terminated the instance.
func cancelReason(events []history.Event) (reason string, terminated bool) {
	for i := range events {
		switch e := &events[i]; {
		case e.Kind == history.OrchestrationCancelRequested:
			reason = e.Reason
		case e.Kind == history.OrchestrationFailed && e.Imposed == history.ImposedTerminated:
			return e.Failure.Message, true
		}
	}
	return reason, false
}

// ChildID is the id of the start that a parent sends for an event.
func ChildID(parent string, executionID, eventID int64) string {
	return derivedID("child", parent, executionID, eventID)
}

// id is the id of the message that an event of a commit sends.
func (c *Commit) id(what string, eventID int64) string {
	return derivedID(what, c.Instance, c.ExecutionID, eventID)
}

// derivedID is the same each time.
func derivedID(what, instance string, executionID, eventID int64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d %s", what, executionID, eventID, instance)
	return what + "-" + hex.EncodeToString(h.Sum(nil)[:16])
}

// Place is where an event stands in the histories of an instance.
type Place struct{ Execution, EventID int64 }

// PlaceOf returns where a commit begins.
func PlaceOf(t *store.Turn) Place { return Place{t.ExecutionID, t.First()} }
