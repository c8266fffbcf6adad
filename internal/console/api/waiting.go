package api

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// PendingOperations is what an instance waits for, down to the leaf.
type PendingOperations struct {
	Instance string `json:"instance"`
	// Now is the time of the look.
	Now    time.Time `json:"now"`
	Status string    `json:"status"`
	// Operations that are open, in the order in which they were scheduled; More
	// of them are left out.
	Operations []WaitingOperation `json:"operations"`
	More       int                `json:"more,omitempty"`
	// Leaves are the ends of all paths, the first of them, in a line each.
	Leaves []WaitingLeaf `json:"leaves"`
	// UnconsumedEvents are the external events of the current execution that no wait has
	// taken, in the order in which they came.
	UnconsumedEvents []UnconsumedEvent `json:"unconsumed_events,omitempty"`
	// PausedQueues are the queues that are paused and that it, or a child, waits for.
	PausedQueues []PausedQueue `json:"paused_queues,omitempty"`
}

// UnconsumedEvent is an external event that no wait has taken: it is kept until one
// does, was rejected, or was left when the instance ended.
type UnconsumedEvent struct {
	EventID  int64     `json:"event_id"`
	Name     string    `json:"name"`
	At       time.Time `json:"at"`
	Actor    string    `json:"actor,omitempty"`
	SenderID string    `json:"sender_id,omitempty"`
	// RejectedBy is the event that records its rejection by a wait, and Reason
	// why; left out for one that was not rejected.
	RejectedBy int64  `json:"rejected_by,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

// UnconsumedEventsOf returns the JSON form of events that nothing has taken.
func UnconsumedEventsOf(events []client.UnconsumedEvent) []UnconsumedEvent {
	var out []UnconsumedEvent
	for _, e := range events {
		out = append(out, UnconsumedEvent(e))
	}
	return out
}

// WaitingOperation is an operation that is open.
type WaitingOperation struct {
	TimelineRow
	// Child is how the instance of a child stands, and what it waits for. Left
	// out, and NotRead too: it has no record yet.
	Child *WaitingChild `json:"child,omitempty"`
	// NotRead says why the child, or what is known of the activity, is not shown.
	NotRead string `json:"not_read,omitempty"`
	// NextAt is when something is due to happen: a timer fires, an attempt
	// follows. Left out where it is not known.
	NextAt time.Time `json:"next_at,omitzero"`
}

// WaitingChild is how a child stands, and what it waits for.
type WaitingChild struct {
	Instance   string             `json:"instance"`
	Name       string             `json:"name"`
	Version    string             `json:"version,omitempty"`
	Status     string             `json:"status"`
	Problem    *store.Problem     `json:"problem,omitempty"`
	Operations []WaitingOperation `json:"operations"`
	More       int                `json:"more,omitempty"`
}

// WaitingLeaf is the end of a path of operations.
type WaitingLeaf struct {
	// Path are the instances from the one that was asked for to the one that
	// waits.
	Path []string `json:"path"`
	// EventID is the operation in the last of them.
	EventID int64 `json:"event_id"`
	// Text says what it waits for, without times: "activity Book, attempt 4 of 5
	// follows".
	Text   string    `json:"text"`
	NextAt time.Time `json:"next_at,omitzero"`
	// Paused is the pause of the queue that an activity waits in.
	Paused *PausedQueue `json:"paused,omitempty"`
	// Since when.
	Since time.Time `json:"since"`
	// Status of a child that is not well, or has ended.
	Status  string `json:"status,omitempty"`
	NotRead string `json:"not_read,omitempty"`
}

// shownLeaves is how many leaves an answer has.
const shownLeaves = 50

// PendingOf returns the JSON form of what an instance waits for. paused are the queues that are paused.
func PendingOf(w *timeline.Waiting, paused []PausedQueue, now time.Time) PendingOperations {
	out := PendingOperations{Instance: w.Instance, Now: now, Status: string(w.Status), Operations: operationsOf(w), More: w.More, Leaves: []WaitingLeaf{}}
	for _, p := range paused {
		if p.Queue == "" && !w.Status.Terminal() {
			out.PausedQueues = append(out.PausedQueues, p) // No turn is made, whatever it waits for.
		}
	}
	for _, l := range w.Leaves(shownLeaves) {
		o := l.Operation()
		leaf := WaitingLeaf{Path: []string{w.Instance}, EventID: o.EventID, Text: o.Text(), NextAt: o.NextAt(), Since: o.ScheduledAt, NotRead: o.NotRead}
		for _, above := range l.Path[:len(l.Path)-1] {
			leaf.Path = append(leaf.Path, above.Instance)
		}
		if o.Child != nil {
			leaf.Status = string(o.Child.Status)
		}
		if o.Kind == timeline.KindActivity {
			leaf.Paused = PausedFor(paused, o.Queue)
		}
		if p := leaf.Paused; p != nil && !slices.Contains(out.PausedQueues, *p) {
			out.PausedQueues = append(out.PausedQueues, *p)
		}
		out.Leaves = append(out.Leaves, leaf)
	}
	return out
}

func operationsOf(w *timeline.Waiting) []WaitingOperation {
	out := make([]WaitingOperation, len(w.Operations))
	for i := range w.Operations {
		o := &w.Operations[i]
		out[i] = WaitingOperation{TimelineRow: TimelineRowOf(&o.Row), NotRead: o.NotRead, NextAt: o.NextAt()}
		if c := o.Child; c != nil {
			out[i].Child = &WaitingChild{Instance: c.Instance, Name: c.Name, Version: c.Version, Status: string(c.Status), Problem: c.Problem,
				Operations: operationsOf(c), More: c.More}
		}
	}
	return out
}
