package redriving

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/turnstile-go/turnstile/history"
)

// A fork goes on as another instance, and the one that it is forked from stays as it is.
// Nothing that either of them has open belongs to both: tokens and timers have the number
// of an execution and the id of its instance in them, and a child whose id was derived is
// another one, which is a fork as well. What was told to somebody is not told again.

// ChildInstance is the id of a child without one of its own. It depends on parent
// instance, execution and event only: "<parent>/<execution>/<event>", with a hash in place
// of a parent that is long.
func ChildInstance(parent string, executionID, eventID int64) string {
	const longest = 200
	if len(parent) > longest {
		sum := sha256.Sum256([]byte(parent))
		parent = "~" + hex.EncodeToString(sum[:16])
	}
	return parent + "/" + strconv.FormatInt(executionID, 10) + "/" + strconv.FormatInt(eventID, 10)
}

// AsEnded returns a history as if the instance were terminated now, where it has not ended: its
// fork goes on behind what the code has done last.
func AsEnded(events []history.Event) []history.Event {
	n := len(events)
	if n == 0 || events[n-1].Kind.Terminal() {
		return events
	}
	return append(events[:n:n], history.Event{Kind: history.OrchestrationFailed, EventID: int64(n) + 1, Imposed: history.ImposedTerminated})
}

// fork makes the plan that of another instance.
func (d *Plan) fork(r *Request) {
	d.Prefix = slices.Clone(d.Prefix)
	for i := range d.Prefix {
		e := &d.Prefix[i]
		anew := slices.Contains(d.Open, e.EventID) || slices.Contains(d.Failed, e.EventID)
		switch {
		case e.Kind == history.SubOrchestrationScheduled && anew && !e.ExplicitID:
			e.ForkOf, e.Instance = e.Instance, ChildInstance(r.Instance, r.ExecutionID, e.EventID)
		case e.Kind == history.ParentAttached && e.Start != nil:
			// It waits for the instance that this one is forked from.
			e.Start = &history.Start{StartID: e.Start.StartID}
		}
	}
}
