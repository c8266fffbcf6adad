package api

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/timeline"
)

// PendingOperations is what an instance waits for, through its children down to the leaves.
type PendingOperations struct {
	Instance string `json:"instance"`
	// Now is the time of the response.
	Now    time.Time `json:"now"`
	Status string    `json:"status"`
	// Operations that are open, in the order in which they were scheduled; More is how many are
	// left out.
	Operations []WaitingOperation `json:"operations"`
	More       int                `json:"more,omitempty"`
	// Leaves are the ends of the first paths, one line each.
	Leaves []WaitingLeaf `json:"leaves"`
	// UnconsumedEvents are the external events of the current execution that no wait has taken, in
	// order of arrival.
	UnconsumedEvents []client.UnconsumedEvent `json:"unconsumed_events,omitempty"`
	// Updates are the updates that the current execution has neither rejected nor answered; none for
	// an instance that has ended.
	Updates []client.UpdateStatus `json:"updates,omitempty"`
	// PausedQueues are the paused queues that it or a descendant waits for.
	PausedQueues []PausedQueue `json:"paused_queues,omitempty"`
}

// WaitingOperation is an operation that is open.
type WaitingOperation struct {
	TimelineRow
	// Child is the state of a child's instance, and what it waits for. If both Child and NotRead
	// are omitted, it has no record yet.
	Child *WaitingChild `json:"child,omitempty"`
	// NotRead is why the child, or the stored state of the activity, is not shown.
	NotRead string `json:"not_read,omitempty"`
	// NextAt is when the next thing is due: a timer fires, or an attempt follows. Omitted if not
	// known.
	NextAt time.Time `json:"next_at,omitzero"`
}

// WaitingChild is the state of a child, and what it waits for.
type WaitingChild struct {
	timeline.Standing
	Operations []WaitingOperation `json:"operations"`
	More       int                `json:"more,omitempty"`
}

// WaitingLeaf is the end of a path of operations.
type WaitingLeaf struct {
	// Path has the instances from the requested one to the one that waits.
	Path []string `json:"path"`
	// EventID of the operation in the last of them.
	EventID int64 `json:"event_id"`
	// Text is what it waits for, without times: "activity Book, attempt 4 of 5 follows".
	Text   string    `json:"text"`
	NextAt time.Time `json:"next_at,omitzero"`
	// Paused is the pause of the queue that an activity waits in.
	Paused *PausedQueue `json:"paused,omitempty"`
	// Since when.
	Since time.Time `json:"since"`
	// Status of a child that cannot continue, or has ended.
	Status  string `json:"status,omitempty"`
	NotRead string `json:"not_read,omitempty"`
}

// shownLeaves is the maximum number of leaves in a response.
const shownLeaves = 50

// PendingOf returns the JSON form of what an instance waits for. paused are the queues that are paused.
func PendingOf(w *timeline.Waiting, paused []PausedQueue, now time.Time) PendingOperations {
	out := PendingOperations{Instance: w.Instance, Now: now, Status: string(w.Status), Operations: operationsOf(w), More: w.More, Leaves: []WaitingLeaf{}}
	for _, p := range paused {
		if p.Queue == "" && !w.Status.Terminal() {
			out.PausedQueues = append(out.PausedQueues, p) // The instance makes no turn, whatever it waits for.
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
			out[i].Child = &WaitingChild{Standing: c.Standing, Operations: operationsOf(c), More: c.More}
		}
	}
	return out
}
