package api

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Timeline is what happened in an instance: a row for each operation, a tick for each turn, a band
// for each execution.
type Timeline struct {
	Instance string `json:"instance"`
	// Now is the time of the response: open operations are shown as running until then.
	Now time.Time `json:"now"`
	// Executions that are shown: the newest of the instance, in order.
	Executions []TimelineExecution `json:"executions"`
	// Earlier is how many earlier executions are not shown; FirstExecution is the first of the
	// instance.
	Earlier        int   `json:"earlier,omitempty"`
	FirstExecution int64 `json:"first_execution,omitempty"`
	// Rows, one for each scheduling event, in the order of execution and event. In a response with
	// the changes since an event, only the rows that have changed and those that are open.
	Rows []TimelineRow `json:"rows"`
	// Ticks, one for each turn, and Marks, the events that belong to no operation, in the same
	// order. A response with changes has only the new Ticks, but all Marks.
	Ticks []TimelineTick `json:"ticks"`
	Marks []TimelineMark `json:"marks"`
	// Groups of rows that are shown as one: fan-outs, and calls that took no time. All groups are
	// included.
	Groups []TimelineGroup `json:"groups,omitempty"`
	// Since is the event after which this response has the changes, as "execution.event"; omitted
	// if the response has everything.
	Since string `json:"since,omitempty"`
	// Last is the last event, as "execution.event": the value of since for the next request.
	Last string         `json:"last"`
	Bill *timeline.Bill `json:"bill,omitempty"`
}

// TimelineExecution is one execution of an instance.
type TimelineExecution struct {
	timeline.Execution
	// End is the kind of its last event, omitted while it runs.
	End     string         `json:"end,omitempty"`
	Failure *wire.Failure  `json:"failure,omitempty"`
	Parent  *client.Parent `json:"parent,omitempty"`
}

// TimelineRow is one operation.
type TimelineRow struct {
	timeline.Row
	// MaxAttempts is how many attempts it may have; omitted for one.
	MaxAttempts int           `json:"max_attempts,omitempty"`
	Failure     *wire.Failure `json:"failure,omitempty"`
	Live        *LiveActivity `json:"live,omitempty"`
	// Text describes the attempts of an open activity, or how far an open update has come, or, for a
	// cancelled operation, the event after which it was cancelled.
	Text string `json:"text,omitempty"`
}

// TimelineGroup is a number of rows that are shown as one: eight or more concurrent operations with
// one name, or three or more calls in a row.
type TimelineGroup struct {
	timeline.Group
	// Rows is how many rows it has.
	Rows int `json:"rows"`
}

// TimelineTick is a turn: what one commit appended.
type TimelineTick struct {
	timeline.Tick
	// Arrival is the kind of its first event, if that is an arrival.
	Arrival string `json:"arrival,omitempty"`
}

// TimelineMark is an event that belongs to no operation.
type TimelineMark struct {
	timeline.Mark
	Kind string `json:"kind"`
}

// TimelineOf returns the JSON form of a timeline.
func TimelineOf(t *timeline.Timeline, now time.Time) Timeline {
	out := Timeline{Instance: t.Instance, Now: now, Last: lastOf(t),
		Executions: make([]TimelineExecution, len(t.Executions)), Rows: make([]TimelineRow, len(t.Rows)),
		Ticks: make([]TimelineTick, len(t.Ticks)), Marks: make([]TimelineMark, len(t.Marks))}
	for i, x := range t.Executions {
		out.Executions[i] = TimelineExecution{Execution: x, End: kindOf(x.End), Failure: failureOf(x.Failure), Parent: parentOf(x.Parent)}
	}
	for i := range t.Rows {
		out.Rows[i] = TimelineRowOf(&t.Rows[i])
	}
	for i, k := range t.Ticks {
		out.Ticks[i] = TimelineTick{k, kindOf(k.Arrival)}
	}
	for _, g := range t.Groups {
		out.Groups = append(out.Groups, TimelineGroup{g, len(g.Rows)})
	}
	for i, m := range t.Marks {
		out.Marks[i] = TimelineMark{m, kindOf(m.Kind)}
	}
	return out
}

// kindOf returns the name of a kind, "" for none.
func kindOf(k history.Kind) string {
	if k == history.KindUnknown {
		return ""
	}
	return k.String()
}

// TimelineRowOf returns the JSON form of a row, without the details of its failure, which the event
// has.
func TimelineRowOf(r *timeline.Row) TimelineRow {
	out := TimelineRow{Row: *r, Failure: bareFailureOf(r.Failure), Live: liveOf(r.Live), Text: r.CancelText}
	if r.MaxAttempts > 1 {
		out.MaxAttempts = r.MaxAttempts
	}
	if r.State == timeline.StateOpen && (r.Kind == timeline.KindActivity || r.Kind == timeline.KindInline) {
		out.Text = r.AttemptText()
	}
	if r.State == timeline.StateOpen && r.Kind == timeline.KindUpdate {
		out.Text = r.UpdateText()
	}
	return out
}

// lastOf returns the last event of a timeline, "execution.event".
func lastOf(t *timeline.Timeline) string {
	if len(t.Ticks) == 0 {
		return ""
	}
	last := t.Ticks[len(t.Ticks)-1]
	return fmt.Sprintf("%d.%d", last.ExecutionID, last.Last)
}
