package client

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// PendingOperation is an operation that an instance waits for: an activity, a timer, a
// sub-orchestration, or a wait for an external event.
type PendingOperation struct {
	// Kind of its scheduling event: ActivityScheduled, TimerCreated,
	// SubOrchestrationScheduled or ExternalSubscribed.
	Kind history.Kind `json:"kind"`
	// EventID of that event.
	EventID int64 `json:"event_id"`
	// Name of the activity, the orchestration or the event.
	Name string `json:"name,omitempty"`
	// Label that the code gave it ([turnstile.Context.WithLabel]); may be empty.
	Label string `json:"label,omitempty"`
	// Queue of the activity's attempts ([turnstile.Queue]); empty for the default queue.
	Queue string `json:"queue,omitempty"`
	// ScheduledAt is when it was scheduled, DueAt when a timer fires.
	ScheduledAt time.Time `json:"scheduled_at"`
	DueAt       time.Time `json:"due_at,omitzero"`
	// Instance is the id of a sub-orchestration, Child its description: nil if it has no record
	// yet. If the child is stuck, its parent waits until the child is fixed. For an ExternalSubscribed,
	// Instance is set if the wait is for the answer to an update: it is the instance that the update was
	// sent to, and Name the name of the update.
	Instance string       `json:"instance,omitempty"`
	Child    *Description `json:"-"`
}

// maxDescribedChildren is the maximum number of children that [Client.PendingOperations] describes.
const maxDescribedChildren = 100

// PendingOperations returns the open operations of an instance, in the order in which they were
// scheduled; none for an instance that has ended. It reads the history of the current execution, and
// the records of the first 100 open children.
//
// Error: [*NotFoundError].
func (c *Client) PendingOperations(ctx context.Context, instance string) ([]PendingOperation, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil || d.Status.Terminal() {
		return nil, err
	}
	w, err := c.waiting(ctx, d)
	return w.Operations, err
}

// describeChildren describes the first 100 children among the open operations.
func (c *Client) describeChildren(ctx context.Context, open []PendingOperation) error {
	described := 0
	for i := range open {
		o := &open[i]
		if o.Kind != history.SubOrchestrationScheduled || described == maxDescribedChildren {
			continue
		}
		described++
		child, err := c.Describe(ctx, o.Instance)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		o.Child = &child
	}
	return nil
}

func openOperations(turns []store.Turn) []PendingOperation {
	closed := map[int64]bool{}
	unmatched := map[string]int{} // events of a name that no wait has consumed
	sent := map[string]*history.Event{}
	for i := range turns {
		for _, id := range turns[i].Cancelled {
			closed[id] = true
		}
		for j := range turns[i].Events {
			switch e := &turns[i].Events[j]; {
			case e.Kind == history.ExternalEvent:
				unmatched[e.Name]++
			case e.Kind == history.ExternalRejected:
				unmatched[e.Name]--
			case e.Op == history.OpRaiseEvent:
				sent[history.AnswerPrefix+e.SenderID] = e
			case e.Kind.Completes() != history.KindUnknown:
				closed[e.SourceEventID] = true
			}
		}
	}
	var open []PendingOperation
	for i := range turns {
		for j := range turns[i].Events {
			e := &turns[i].Events[j]
			o := PendingOperation{Kind: e.Kind, EventID: e.EventID, Name: e.Name, Label: e.Label, ScheduledAt: time.UnixMilli(e.AtMS).UTC()}
			switch e.Kind {
			case history.ExternalSubscribed:
				if closed[e.EventID] {
					continue // The wait was cancelled and consumed no event.
				}
				if unmatched[e.Name]--; unmatched[e.Name] >= 0 {
					continue
				}
				if r := sent[e.Name]; r != nil {
					o.Name, o.Instance = strings.TrimPrefix(r.Name, history.UpdatePrefix), r.Instance
				}
			case history.TimerCreated:
				o.DueAt = time.UnixMilli(e.FireAtMS).UTC()
			case history.SubOrchestrationScheduled:
				o.Instance = e.Instance
			case history.ActivityScheduled:
				if e.Retry != nil {
					o.Queue = e.Retry.Queue
				}
			default:
				continue
			}
			if !closed[e.EventID] {
				open = append(open, o)
			}
		}
	}
	return open
}
