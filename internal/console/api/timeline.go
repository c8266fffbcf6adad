package api

import (
	"fmt"
	"time"

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
	Last string `json:"last"`
	Bill *Bill  `json:"bill,omitempty"`
}

// TimelineExecution is one execution of an instance.
type TimelineExecution struct {
	ExecutionID int64     `json:"execution_id"`
	Name        string    `json:"name"`
	Version     string    `json:"version,omitempty"`
	From        time.Time `json:"from"`
	// To is omitted while it runs.
	To time.Time `json:"to,omitzero"`
	// End is the kind of its last event, omitted while it runs.
	End string `json:"end,omitempty"`
	// Forced is what ended it, if not its code: "terminated", "policy" or "limit".
	Forced  string        `json:"forced,omitempty"`
	Failure *wire.Failure `json:"failure,omitempty"`
	// Turns is how many turns it took, or rounds if TurnsKnown is not set; Events is how many
	// events its history has.
	Turns      int  `json:"turns"`
	Events     int  `json:"events"`
	TurnsKnown bool `json:"turns_known,omitempty"`
	// Parked is set if its last arrivals were recorded without running the code.
	Parked bool    `json:"parked,omitempty"`
	Parent *Parent `json:"parent,omitempty"`
	// Origin is the place from which a redrive or a fork continues.
	Origin *history.Origin `json:"origin,omitempty"`
}

// TimelineRow is one operation.
type TimelineRow struct {
	ExecutionID int64 `json:"execution_id"`
	EventID     int64 `json:"event_id"`
	// Kind is "activity", "inline", "timer", "wait", "child", "detached" or "call".
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
	// Label that the code gave it, with those of the contexts around it: "stock / shelf".
	Label   string `json:"label,omitempty"`
	Version string `json:"version,omitempty"`
	// Queue for the attempts of an activity; omitted for the default queue.
	Queue string `json:"queue,omitempty"`
	// Op of a call: now, guid, side_effect, trace, raise_event, cancel_instance, patch.
	Op       string `json:"op,omitempty"`
	Instance string `json:"instance,omitempty"`
	// State is "open", "done", "failed", "cancelled", or "closed" if it was open when its execution
	// ended.
	State       string    `json:"state"`
	ScheduledAt time.Time `json:"scheduled_at"`
	// EndedAt is omitted while it runs.
	EndedAt time.Time `json:"ended_at,omitzero"`
	// Spans are what it did, in order; the first starts at ScheduledAt. Omitted if it ended
	// immediately.
	Spans []TimelineSpan `json:"spans,omitempty"`
	// DueAt is when a timer is due, or the latest time at which an activity must be completed.
	DueAt time.Time `json:"due_at,omitzero"`
	// CompletedBy is the event that completed it, CancelledBy the last event of
	// the turn that cancelled it.
	CompletedBy int64 `json:"completed_by,omitempty"`
	CancelledBy int64 `json:"cancelled_by,omitempty"`
	// Assumed is set if several waits may have taken the event, and this one is an assumption.
	Assumed bool `json:"assumed,omitempty"`
	// Attempt is the one that ended it, or the last known one, of MaxAttempts.
	Attempt     int       `json:"attempt,omitempty"`
	MaxAttempts int       `json:"max_attempts,omitempty"`
	StartedAt   time.Time `json:"started_at,omitzero"`
	RequestID   string    `json:"request_id,omitempty"`
	// Actor is on whose behalf a client requested its last attempt, completed it by hand,
	// fired the timer early or raised the event, according to the sender.
	Actor string `json:"actor,omitempty"`
	// FirstEventID is the first scheduling event of an inline activity that was scheduled again for
	// its next attempt; AttemptsMade is the number of attempts before.
	FirstEventID int64         `json:"first_event_id,omitempty"`
	AttemptsMade int           `json:"attempts_made,omitempty"`
	Failure      *wire.Failure `json:"failure,omitempty"`
	Live         *LiveActivity `json:"live,omitempty"`
	// Group is the first event of its group; Member distinguishes it there: its label, a field of
	// its input, its instance, or the input.
	Group  int64  `json:"group,omitempty"`
	Member string `json:"member,omitempty"`
	// Text describes the attempts of an open activity or, for a cancelled operation, the event
	// after which it was cancelled.
	Text string `json:"text,omitempty"`
}

// TimelineGroup is a number of rows that are shown as one: eight or more concurrent operations with
// one name, or three or more calls in a row.
type TimelineGroup struct {
	ExecutionID int64 `json:"execution_id"`
	// EventID of its first row, which is the Group of all its rows.
	EventID int64  `json:"event_id"`
	Kind    string `json:"kind"`
	// Name that all of them have; omitted for calls.
	Name string `json:"name,omitempty"`
	// Label that its first rows have in common.
	Label string `json:"label,omitempty"`
	// Rows is how many rows it has, followed by how many are in each state.
	Rows   int            `json:"rows"`
	States map[string]int `json:"states"`
	// By is the field of the inputs that distinguishes the rows.
	By string `json:"by,omitempty"`
	// From is when the first was scheduled; To is when the last had ended, omitted while one is
	// open.
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`
	// Took is how long the ended rows took, from when they were scheduled. Ran is how long their
	// last attempts ran; omitted unless it is known for all.
	Took *Spread `json:"took,omitempty"`
	Ran  *Spread `json:"ran,omitempty"`
}

// Spread is the distribution of a number of durations.
type Spread struct {
	Of       int   `json:"of"`
	MinMS    int64 `json:"min_ms"`
	MedianMS int64 `json:"median_ms"`
	// P90MS is the 90th percentile.
	P90MS int64 `json:"p90_ms"`
	MaxMS int64 `json:"max_ms"`
}

// TimelineSpan is a part of an operation's time.
type TimelineSpan struct {
	// Doing is "waiting", "running", "unknown" (waiting or running: no worker has recorded which),
	// "retrying" (until the time of its next attempt), "late" (a timer that is due) or "stopping".
	Doing string `json:"doing"`
	// To is its end, where the next span starts; omitted while it runs.
	To time.Time `json:"to,omitzero"`
	// Attempt that runs, or follows; omitted if not known.
	Attempt int `json:"attempt,omitempty"`
}

// TimelineTick is a turn: what one commit appended.
type TimelineTick struct {
	ExecutionID int64     `json:"execution_id"`
	At          time.Time `json:"at"`
	First       int64     `json:"first"`
	Last        int64     `json:"last"`
	// Arrival is the kind of its first event, if that is an arrival.
	Arrival string `json:"arrival,omitempty"`
	Parked  bool   `json:"parked,omitempty"`
}

// TimelineMark is an event that belongs to no operation.
type TimelineMark struct {
	ExecutionID int64     `json:"execution_id"`
	EventID     int64     `json:"event_id"`
	Kind        string    `json:"kind"`
	At          time.Time `json:"at"`
	Name        string    `json:"name,omitempty"`
	// RejectedBy is the event that records that a wait rejected this external event; Reason is why.
	RejectedBy int64  `json:"rejected_by,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

// TimelineOf returns the JSON form of a timeline.
func TimelineOf(t *timeline.Timeline, now time.Time) Timeline {
	out := Timeline{Instance: t.Instance, Now: now, Last: lastOf(t),
		Executions: make([]TimelineExecution, len(t.Executions)), Rows: make([]TimelineRow, len(t.Rows)),
		Ticks: make([]TimelineTick, len(t.Ticks)), Marks: make([]TimelineMark, len(t.Marks))}
	for i := range t.Executions {
		x := &t.Executions[i]
		e := TimelineExecution{ExecutionID: x.ID, Name: x.Name, Version: x.Version, From: x.From, To: x.To, Forced: x.Forced,
			Failure: failureOf(x.Failure), Turns: x.Turns, Events: x.Events, TurnsKnown: x.TurnsKnown, Parked: x.Parked, Origin: x.Origin}
		if x.End != history.KindUnknown {
			e.End = x.End.String()
		}
		if p := x.Parent; p != nil {
			e.Parent = &Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
		}
		out.Executions[i] = e
	}
	for i := range t.Rows {
		out.Rows[i] = TimelineRowOf(&t.Rows[i])
	}
	for i := range t.Ticks {
		k := &t.Ticks[i]
		out.Ticks[i] = TimelineTick{ExecutionID: k.ExecutionID, At: k.At, First: k.First, Last: k.Last, Parked: k.Parked}
		if k.Arrival != history.KindUnknown {
			out.Ticks[i].Arrival = k.Arrival.String()
		}
	}
	for i := range t.Groups {
		out.Groups = append(out.Groups, groupOf(&t.Groups[i]))
	}
	for i := range t.Marks {
		m := &t.Marks[i]
		out.Marks[i] = TimelineMark{ExecutionID: m.ExecutionID, EventID: m.EventID, Kind: m.Kind.String(), At: m.At, Name: m.Name, RejectedBy: m.RejectedBy, Reason: m.Reason}
	}
	return out
}

func groupOf(g *timeline.Group) TimelineGroup {
	out := TimelineGroup{ExecutionID: g.ExecutionID, EventID: g.EventID, Kind: string(g.Kind), Name: g.Name, Label: g.Label, Rows: len(g.Rows), States: map[string]int{},
		By: g.By, From: g.From, To: g.To, Took: spreadOf(g.Took), Ran: spreadOf(g.Ran)}
	for state, n := range g.States {
		out.States[string(state)] = n
	}
	return out
}

func spreadOf(s timeline.Spread) *Spread {
	if s.Of == 0 {
		return nil
	}
	return &Spread{Of: s.Of, MinMS: s.Min.Milliseconds(), MedianMS: s.Median.Milliseconds(), P90MS: s.Late.Milliseconds(), MaxMS: s.Max.Milliseconds()}
}

// TimelineRowOf returns the JSON form of a row, without the details of its failure, which the event
// has.
func TimelineRowOf(r *timeline.Row) TimelineRow {
	out := TimelineRow{ExecutionID: r.ExecutionID, EventID: r.EventID, Kind: string(r.Kind), Name: r.Name, Label: r.Label, Version: r.Version, Queue: r.Queue, Op: r.Op,
		Instance: r.Instance, State: string(r.State), ScheduledAt: r.ScheduledAt, EndedAt: r.EndedAt, DueAt: r.DueAt,
		CompletedBy: r.CompletedBy, CancelledBy: r.CancelledBy, Assumed: r.Assumed, Attempt: r.Attempt, StartedAt: r.StartedAt,
		Group: r.Group, Member: r.Member, RequestID: r.RequestID, Actor: r.Actor, FirstEventID: r.FirstEventID, AttemptsMade: r.AttemptsMade, Failure: wire.FailureOf(r.Failure), Live: liveOf(r.Live)}
	if r.MaxAttempts > 1 {
		out.MaxAttempts = r.MaxAttempts
	}
	if out.Failure != nil {
		out.Failure.Details, out.Failure.Stack = nil, ""
	}
	if r.State == timeline.StateOpen && (r.Kind == timeline.KindActivity || r.Kind == timeline.KindInline) {
		out.Text = r.AttemptText()
	} else {
		out.Text = r.CancelText
	}
	for _, s := range r.Spans {
		out.Spans = append(out.Spans, TimelineSpan{Doing: string(s.Doing), To: s.To, Attempt: s.Attempt})
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
