package dispatch

import (
	"sort"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Work has the open operations of an execution by scheduling event: queued activities, timers and
// children, the resume of a suspend that has an end, and the request of an instance that waits for
// a permit. Work is kept with a warm execution, so that a cancellation is dispatched without
// reading the history.
type Work map[int64]Open

// Open is the open operation of one scheduling event.
type Open struct {
	Kind history.Kind
	// Child is the instance id of a child, and OnParentEnd what happens to the child when the
	// parent ends.
	Child, OnParentEnd string
	// Wait is how long a timer had to wait when it was created. It shows whether the timer has a
	// schedule.
	Wait time.Duration
	// AtMS is when the operation was scheduled.
	AtMS int64
}

// opened returns the operation that a scheduling event opens.
func opened(e *history.Event) Open {
	w := Open{Kind: e.Kind, Child: e.Instance, OnParentEnd: e.OnParentEnd, AtMS: e.AtMS}
	if e.Kind == history.TimerCreated || e.Kind == history.OrchestrationSuspended {
		w.Wait = time.Duration(e.FireAtMS-e.AtMS) * time.Millisecond
	}
	return w
}

// Add adds recorded events.
func (w Work) Add(events []history.Event) {
	for i := range events {
		e := &events[i]
		switch {
		case e.Kind == history.ActivityScheduled && !e.Inline, e.Kind == history.TimerCreated, e.Kind == history.SubOrchestrationScheduled:
			w[e.EventID] = opened(e)
		case e.Kind == history.OrchestrationSuspended, e.Kind == history.OrchestrationResumed:
			w.suspend(e)
		case e.Kind.Completes() != history.KindUnknown:
			delete(w, e.SourceEventID)
		}
	}
}

// suspend adds a suspend or a resume, after which the resume of an earlier suspend is no longer
// due.
func (w Work) suspend(e *history.Event) {
	for id, o := range w {
		if o.Kind == history.OrchestrationSuspended {
			delete(w, id)
		}
	}
	if e.Kind == history.OrchestrationSuspended && (e.FireAtMS > 0 || e.LimitKey != "") {
		w[e.EventID] = opened(e)
	}
}

// Close removes cancelled operations.
func (w Work) Close(cancelled []int64) {
	for _, id := range cancelled {
		delete(w, id)
	}
}

// AddTurns adds commits as they are stored.
func (w Work) AddTurns(turns []store.Turn) {
	for i := range turns {
		w.Add(turns[i].Events)
		w.Close(turns[i].Cancelled)
	}
}

// OpenedBy returns the operations of the given scheduling events of an execution, whether they are
// still open or not.
func OpenedBy(turns []store.Turn, events []int64) Work {
	w := make(Work, len(events))
	for _, id := range events {
		i := sort.Search(len(turns), func(i int) bool { return turns[i].Last() >= id })
		if i < len(turns) && turns[i].First() <= id {
			w[id] = opened(&turns[i].Events[id-turns[i].First()])
		}
	}
	return w
}
