package check

import (
	"errors"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// A turn that does not fit into a commit is made in parts. Its instance fails only if one
// message alone produces more than a commit holds (L-04).

// refused records how many messages' facts are in the commit that was last refused because
// it was too large. Those of a start count as one.
func (w *checker) refused(x *world.Write, err error) {
	if _, large := errors.AsType[*store.TooLargeError](err); !large || x.Commit == nil {
		return
	}
	t := &x.Commit.Turns[0]
	recorded := w.Ledger.Executions[ledger.At(t.Instance, t.ExecutionID)]
	facts := 0
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Kind == history.OrchestrationStarted:
			facts = 1
		case !e.Kind.Arrival() || facts > 0 && t.First() == 1:
		case e.Kind == history.OrchestrationResumed && e.SenderID == "":
			// Caused by the cancel before it.
		case e.SourceEventID >= t.First():
			// Caused by an inline activity that this commit has started.
		case e.SourceEventID > 0 && recorded != nil && recorded.Events[e.SourceEventID-1].Inline:
		default:
			facts++
		}
	}
	w.of(x.In).refused.Set(x.Instance, facts)
}

// checkRoom checks an instance that fails because a commit is too small.
func (w *checker) checkRoom(x *world.Write) {
	t := &x.Commit.Turns[0]
	end := &t.Events[len(t.Events)-1]
	if end.Forced != history.ForcedByLimit || end.Failure == nil || end.Failure.Kind != history.FailureTooLarge {
		return
	}
	w.Reached("L-04")
	if n := w.of(x.In).refused.Of(x.Instance); n > 1 {
		w.Violate("L-04", "%s fails %s/%d because of the total size of the events of %d messages", x.By.Name, t.Instance, t.ExecutionID, n)
	}
}
