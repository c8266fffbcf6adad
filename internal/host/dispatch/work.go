package dispatch

import (
	"sort"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Work is what an execution has open outside: queued activities, timers and
// children, by the event id of their scheduling event, the resume of a suspend that
// has a time, and the question of one that waits for its turn under a limit. It is kept beside a warm
// execution, so that a cancellation is dispatched without reading history.
type Work map[int64]Open

// Open is what one scheduling event has open.
type Open struct {
	Kind history.Kind
	// Child is the instance of a child, OnParentEnd what is done with it.
	Child, OnParentEnd string
	// Wait is how long a timer had to wait when it was created: it tells
	// whether a schedule was made for it.
	Wait time.Duration
}

// opened returns what a scheduling event opens outside.
func opened(e *history.Event) Open {
	w := Open{Kind: e.Kind, Child: e.Instance, OnParentEnd: e.OnParentEnd}
	if e.Kind == history.TimerCreated || e.Kind == history.OrchestrationSuspended {
		w.Wait = time.Duration(e.FireAtMS-e.AtMS) * time.Millisecond
	}
	return w
}

// Add takes in recorded events.
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

// suspend takes in a suspend or a resume: the resume of one before is owed no longer.
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

// Close takes out what was cancelled.
func (w Work) Close(cancelled []int64) {
	for _, id := range cancelled {
		delete(w, id)
	}
}

// AddTurns takes in commits as they are stored.
func (w Work) AddTurns(turns []store.Turn) {
	for i := range turns {
		w.Add(turns[i].Events)
		w.Close(turns[i].Cancelled)
	}
}

// OpenedBy returns what scheduling events of an execution asked for, whether they are
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
