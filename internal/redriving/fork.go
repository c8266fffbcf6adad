package redriving

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/turnstile-go/turnstile/history"
)

// A fork continues as another instance; the original instance does not change. They share
// no open operation: tokens and timers contain the execution number and the instance id,
// and a child whose id was derived is a different child, which is a fork too. Parents
// that wait for the original are not notified by the fork.

// ChildInstance returns the id of a child that was started without one. It depends only
// on the parent's instance, execution and event: "<parent>/<execution>/<event>". A hash
// replaces a parent id of more than 200 bytes.
func ChildInstance(parent string, executionID, eventID int64) string {
	const longest = 200
	if len(parent) > longest {
		sum := sha256.Sum256([]byte(parent))
		parent = "~" + hex.EncodeToString(sum[:16])
	}
	return parent + "/" + strconv.FormatInt(executionID, 10) + "/" + strconv.FormatInt(eventID, 10)
}

// AsEnded returns the history as if the instance were terminated now, if it has not
// ended. Its fork continues after the last event.
func AsEnded(events []history.Event) []history.Event {
	n := len(events)
	if n == 0 || events[n-1].Kind.Terminal() {
		return events
	}
	return append(events[:n:n], history.Event{Kind: history.OrchestrationFailed, EventID: int64(n) + 1, Forced: history.ForcedByOperator})
}

// fork changes the plan to that of another instance.
func (d *Plan) fork(r *Request) {
	d.Prefix = slices.Clone(d.Prefix)
	for i := range d.Prefix {
		e := &d.Prefix[i]
		anew := slices.Contains(d.Open, e.EventID) || slices.Contains(d.Failed, e.EventID)
		switch {
		case e.Kind == history.SubOrchestrationScheduled && anew && !e.ExplicitID:
			e.ForkOf, e.Instance = e.Instance, ChildInstance(r.Instance, r.ExecutionID, e.EventID)
		case e.Kind == history.ParentAttached && e.Start != nil:
			// It waits for the original instance.
			e.Start = &history.Start{StartID: e.Start.StartID}
		}
		answersNobody(e)
	}
	d.With = slices.Clone(d.With)
	for i := range d.With {
		answersNobody(&d.With[i])
	}
}

// answersNobody removes from an event about an update the instance that sent the update: the original
// answers it.
func answersNobody(e *history.Event) {
	if _, update := e.Update(); update {
		e.Instance = ""
	}
}
