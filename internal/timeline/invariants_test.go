package timeline_test

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// check verifies the invariants of any timeline of any history.
func check(t *testing.T, what string, tl *timeline.Timeline, sources []timeline.Source) {
	t.Helper()
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s", what, fmt.Sprintf(format, args...))
	}
	type key struct{ execution, event int64 }
	rows := map[key]int{}
	for i := range tl.Rows {
		r := &tl.Rows[i]
		rows[key{r.ExecutionID, r.EventID}]++
		checkRow(bad, r)
	}
	marks := map[key]bool{}
	for _, m := range tl.Marks {
		marks[key{m.ExecutionID, m.EventID}] = true
	}
	completed := map[key]bool{}
	for i := range tl.Rows {
		if r := &tl.Rows[i]; r.CompletedBy != 0 {
			k := key{r.ExecutionID, r.CompletedBy}
			if completed[k] {
				bad("event %d completes two rows", r.CompletedBy)
			}
			completed[k] = true
		}
	}
	ticks, seen := 0, 0
	for i := range sources {
		s := &sources[i]
		x := tl.Executions[i]
		events := 0
		for j := range s.Turns {
			turn := &s.Turns[j]
			tick := tl.Ticks[ticks]
			if tick.First != turn.First() || tick.Last != turn.Last() || tick.ExecutionID != s.ExecutionID || tick.Parked != turn.Parked {
				bad("tick %+v is not turn %d to %d", tick, turn.First(), turn.Last())
			}
			ticks++
			for k := range turn.Events {
				e := &turn.Events[k]
				events++
				at := key{s.ExecutionID, e.EventID}
				isRow, want := e.Kind.Scheduling() && e.Kind != history.ExternalRejected, 0
				if _, update := e.Update(); update {
					if isRow = e.Kind == history.ExternalEvent; e.Op == history.OpAcceptUpdate {
						continue // It changes the row of its request.
					}
				}
				if isRow {
					want = 1
				}
				if rows[at] != want {
					bad("event %d, %s, has %d rows", e.EventID, e.Kind, rows[at])
				}
				if isRow == (completed[at] || marks[at]) || completed[at] && marks[at] {
					bad("event %d, %s, is a row: %v, completes one: %v, is a mark: %v; it has to be one of them",
						e.EventID, e.Kind, isRow, completed[at], marks[at])
				}
			}
		}
		if x.ExecutionID != s.ExecutionID || x.Turns != len(s.Turns) || x.Events != events || x.FirstRow != seen {
			bad("execution %+v, of %d turns, %d events, row %d", x, len(s.Turns), events, seen)
		}
		for j := x.FirstRow; j < x.FirstRow+x.Rows; j++ {
			if tl.Rows[j].ExecutionID != x.ExecutionID {
				bad("row %d is not of execution %d", j, x.ExecutionID)
			}
		}
		seen += x.Rows
		checkEnd(bad, tl, &x)
	}
	if ticks != len(tl.Ticks) || seen != len(tl.Rows) {
		bad("%d ticks and %d rows, want %d and %d", len(tl.Ticks), len(tl.Rows), ticks, seen)
	}
}

func checkRow(bad func(string, ...any), r *timeline.Row) {
	open := r.EndedAt.IsZero()
	if (r.State == timeline.StateOpen) && !open {
		bad("row %d is open and ended at %s", r.EventID, r.EndedAt)
	}
	if open && r.State != timeline.StateOpen && r.State != timeline.StateCancelled {
		bad("row %d is %s and has no end", r.EventID, r.State)
	}
	if r.CancelledBy != 0 && r.State != timeline.StateCancelled {
		bad("row %d was cancelled by %d and is %s", r.EventID, r.CancelledBy, r.State)
	}
	at := r.ScheduledAt
	for i, s := range r.Spans {
		last := i == len(r.Spans)-1
		if !s.From.Equal(at) {
			bad("row %d: span %d begins at %s, the one before it ended at %s", r.EventID, i, s.From, at)
		}
		if s.To.IsZero() {
			if !last || !open {
				bad("row %d, %s: span %d of %d has no end", r.EventID, r.State, i, len(r.Spans))
			}
			continue
		}
		if s.To.Before(s.From) {
			bad("row %d: span %d ends before it begins", r.EventID, i)
		}
		at = s.To
		if last && !at.Equal(r.EndedAt) {
			bad("row %d ended at %s, its last span at %s", r.EventID, r.EndedAt, at)
		}
	}
}

// checkEnd verifies that nothing runs after the end of its execution.
func checkEnd(bad func(string, ...any), tl *timeline.Timeline, x *timeline.Execution) {
	if (x.End == history.KindUnknown) != x.To.IsZero() {
		bad("execution %d ended as %s at %s", x.ExecutionID, x.End, x.To)
	}
	if x.To.IsZero() {
		return
	}
	for i := x.FirstRow; i < x.FirstRow+x.Rows; i++ {
		if r := &tl.Rows[i]; r.State == timeline.StateOpen || r.EndedAt.IsZero() {
			bad("row %d goes on behind the end of its execution", r.EventID)
		}
	}
}

// openIn computes the open operations of a history independently: everything that was scheduled, minus what was completed or cancelled.
func openIn(turns []store.Turn) map[int64]bool {
	open := map[int64]bool{}
	waits, events := map[string][]int64{}, map[string]int{}
	cancelled := map[int64]bool{}
	for i := range turns {
		for _, id := range turns[i].Cancelled {
			cancelled[id] = true
		}
	}
	for i := range turns {
		for j := range turns[i].Events {
			switch e := &turns[i].Events[j]; e.Kind {
			case history.ActivityScheduled, history.TimerCreated, history.SubOrchestrationScheduled:
				open[e.EventID] = !cancelled[e.EventID]
			case history.ExternalSubscribed:
				if !cancelled[e.EventID] {
					waits[e.Name] = append(waits[e.Name], e.EventID)
				}
			case history.ExternalEvent:
				events[e.Name]++
			default:
				if e.Kind.Terminal() {
					return nil
				}
				delete(open, e.SourceEventID)
			}
		}
	}
	for name, ids := range waits {
		for _, id := range ids[min(events[name], len(ids)):] {
			open[id] = true
		}
	}
	for id, is := range open {
		if !is {
			delete(open, id)
		}
	}
	return open
}
