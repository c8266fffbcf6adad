package host

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// work is what an execution has open outside: queued activities, timers and
// children, by the event id of their scheduling event. It is kept beside a warm
// execution, so that a cancellation is dispatched without reading history.
type work map[int64]openWork

type openWork struct {
	kind history.Kind
	// child is the instance of a child.
	child string
	// onParentEnd of a child.
	onParentEnd string
	// wait is how long a timer had to wait when it was created: it tells
	// whether a schedule was made for it.
	wait time.Duration
}

// opened returns what a scheduling event opens outside.
func opened(e *history.Event) openWork {
	w := openWork{kind: e.Kind, child: e.Instance, onParentEnd: e.OnParentEnd}
	if e.Kind == history.TimerCreated {
		w.wait = time.Duration(e.FireAtMS-e.AtMS) * time.Millisecond
	}
	return w
}

func newWork() work { return work{} }

// add takes in recorded events.
func (w work) add(events []history.Event) {
	for i := range events {
		e := &events[i]
		switch {
		case e.Kind == history.ActivityScheduled && !e.Inline, e.Kind == history.TimerCreated, e.Kind == history.SubOrchestrationScheduled:
			w[e.EventID] = opened(e)
		case e.Kind.Completes() != history.KindUnknown:
			delete(w, e.SourceEventID)
		}
	}
}

// close takes out what was cancelled.
func (w work) close(cancelled []int64) {
	for _, id := range cancelled {
		delete(w, id)
	}
}
