package api

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Instance is the state of an instance.
type Instance struct {
	Instance       string    `json:"instance"`
	Name           string    `json:"name"`
	Version        string    `json:"version,omitempty"`
	Status         string    `json:"status"`
	ExecutionID    int64     `json:"execution_id"`
	FirstExecution int64     `json:"first_execution,omitempty"`
	Pruned         int64     `json:"pruned,omitempty"`
	Skipped        []int64   `json:"skipped,omitempty"`
	StartID        string    `json:"start_id,omitempty"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	EndedAt        time.Time `json:"ended_at,omitzero"`
	// Redriven is the execution that was redriven last; created_at is the start before that.
	Redriven int64          `json:"redriven,omitempty"`
	Parent   *client.Parent `json:"parent,omitempty"`
	// ForkOf is the instance that it was forked from. Forked is how often it was forked itself; Forks are
	// the newest of these forks, the newest last.
	ForkOf           string                     `json:"fork_of,omitempty"`
	Forked           int64                      `json:"forked,omitempty"`
	Forks            []string                   `json:"forks,omitempty"`
	SearchAttributes turnstile.SearchAttributes `json:"search_attributes,omitempty"`
	// States that the code has set, by name.
	States map[string]State `json:"states,omitempty"`
	Output json.RawMessage  `json:"output,omitempty"`
	// Cause is what failed first, in one line, if a failure was passed on. HandedOn has the steps from
	// there to the message of the failure.
	Cause    string     `json:"cause,omitempty"`
	HandedOn []HandedOn `json:"handed_on,omitempty"`
	// CauseKey is the key under which the list of failures groups it with instances that failed alike.
	CauseKey string         `json:"cause_key,omitempty"`
	Failure  *wire.Failure  `json:"failure,omitempty"`
	Problem  *store.Problem `json:"problem,omitempty"`
	// Suspension is since when, by whom and why it is suspended.
	Suspension *store.Suspension `json:"suspension,omitempty"`
	// Awaits is the build that it waits for, because the running build does not know something in its
	// history, as after a rollback past a patch.
	Awaits *store.Problem `json:"awaits,omitempty"`
	// LoopedAt is when it was last slowed down because it loops without a pause.
	LoopedAt time.Time `json:"looped_at,omitzero"`
	// DecodeError is why states, output and details are omitted.
	DecodeError string `json:"decode_error,omitempty"`
	// Folded names the fields that a list left out because of their size: "states", "output", "details".
	// A request for the single instance returns them.
	Folded []string `json:"folded,omitempty"`
	// PendingOperations is what the command describe prints for a running instance; omitted elsewhere.
	PendingOperations []PendingOperation `json:"pending,omitempty"`
	// UnconsumedEvents is what the command describe prints for events that no wait has taken; omitted
	// elsewhere.
	UnconsumedEvents []client.UnconsumedEvent `json:"unconsumed_events,omitempty"`
	// Code is what describe --code prints; omitted elsewhere.
	Code *CodeWaits `json:"code,omitempty"`
}

// HandedOn is an error with which code passed a failure on.
type HandedOn struct {
	// Name of the activity or orchestration that returned it; Instance of a child.
	Name     string `json:"name"`
	Instance string `json:"instance,omitempty"`
	// Kind of the failure, unless it is an error of the code itself.
	Kind    string `json:"kind,omitempty"`
	Attempt int    `json:"attempt,omitempty"`
	// Says is the text that the receiving code put before the error.
	Says string `json:"says,omitempty"`
}

// PendingOperation is an operation that an instance waits for.
type PendingOperation struct {
	// Kind of the scheduling event.
	Kind    string `json:"kind"`
	EventID int64  `json:"event_id"`
	Name    string `json:"name,omitempty"`
	// Label that the code gave it.
	Label       string    `json:"label,omitempty"`
	ScheduledAt time.Time `json:"scheduled_at"`
	DueAt       time.Time `json:"due_at,omitzero"`
	// Queue for the attempts of an activity; omitted for the default queue. Paused is the pause of that
	// queue.
	Queue  string       `json:"queue,omitempty"`
	Paused *PausedQueue `json:"paused,omitempty"`
	// Instance and Child of a sub-orchestration; Child is omitted if it has no record yet.
	Instance string    `json:"instance,omitempty"`
	Child    *Instance `json:"child,omitempty"`
}

// InstanceList is a page of instances, newest first.
type InstanceList struct {
	Instances []Instance `json:"instances"`
	// NextPageToken is omitted on the last page. With a prefix, or conditions on search attributes, a
	// page may be short or empty without being the last.
	NextPageToken string `json:"next_page_token,omitempty"`
}

// NoHistory is the error if an instance has no history of an execution. It names the executions that
// exist, and why the others do not.
func NoHistory(d *client.Description, execution int64) string {
	if d.Status == client.StatusForking {
		return fmt.Sprintf("instance %q has no history yet: it is a fork whose copy is not complete", d.Instance)
	}
	text := fmt.Sprintf("instance %q has no history of execution %d: it has executions %d to %d", d.Instance, execution, max(d.FirstExecution, 1), d.ExecutionID)
	if d.Pruned > 0 {
		text += fmt.Sprintf("; the %d earlier ones were pruned", d.Pruned)
	}
	return text
}

// InstanceOf returns the JSON form of a description.
func InstanceOf(d *client.Description) Instance {
	out := Instance{
		Instance: d.Instance, Name: d.Name, Version: d.Version, Status: string(d.Status),
		ExecutionID: d.ExecutionID, FirstExecution: d.FirstExecution, Pruned: d.Pruned, Skipped: d.Skipped, StartID: d.StartID,
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, EndedAt: d.EndedAt,
		Redriven: d.Redriven, ForkOf: d.ForkOf, Forked: d.ForkCount, Forks: d.Forks, Parent: d.Parent,
		SearchAttributes: d.SearchAttributes,
		States:           statesOf(d.States), Output: valueJSON(d.Output),
		Failure: failureOf(d.Failure), Problem: d.Problem, Suspension: d.Suspension, Awaits: d.Awaits, LoopedAt: d.LoopedAt,
	}
	if d.DecodeError != nil {
		out.DecodeError = d.DecodeError.Error()
	}
	if d.Failure != nil {
		if first := cause.OfFailure(d.Failure, d.Name); first.Message != d.Failure.Message || d.Failure.Source != "" {
			out.Cause = first.Line()
			for _, s := range cause.Chain(d.Failure.Message) {
				out.HandedOn = append(out.HandedOn, HandedOn(s))
			}
		}
	}
	_, out.CauseKey = CauseOf(d)
	return out
}

// State is the value of a state, with its number.
type State struct {
	Value       json.RawMessage `json:"value"`
	ExecutionID int64           `json:"execution_id"`
	EventID     int64           `json:"event_id"`
	At          time.Time       `json:"at,omitzero"`
}

func statesOf(states map[string]client.StateValue[json.RawMessage]) map[string]State {
	if len(states) == 0 {
		return nil
	}
	out := make(map[string]State, len(states))
	for name, v := range states {
		out[name] = State{Value: valueJSON(v.Value), ExecutionID: v.Number.ExecutionID, EventID: v.Number.EventID, At: v.At}
	}
	return out
}

// Fold leaves out payloads of more than limit bytes, and names them. All states count as one payload.
func (i *Instance) Fold(limit int) {
	fold := func(name string, payload *json.RawMessage) {
		if len(*payload) > limit {
			*payload = nil
			i.Folded = append(i.Folded, name)
		}
	}
	size := 0
	for _, s := range i.States {
		size += len(s.Value)
	}
	if size > limit {
		i.States, i.Folded = nil, append(i.Folded, "states")
	}
	fold("output", &i.Output)
	if i.Failure != nil {
		bare := *i.Failure
		i.Failure = &bare
		fold("details", &bare.Details)
	}
}

// PendingOperationsOf returns the JSON form of what an instance waits for. paused are the queues that are
// paused.
func PendingOperationsOf(open []client.PendingOperation, paused []PausedQueue) []PendingOperation {
	var out []PendingOperation
	for i := range open {
		o := &open[i]
		w := PendingOperation{Kind: o.Kind.String(), EventID: o.EventID, Name: o.Name, Label: o.Label, ScheduledAt: o.ScheduledAt, DueAt: o.DueAt, Queue: o.Queue, Instance: o.Instance}
		if o.Kind == history.ActivityScheduled {
			w.Paused = PausedFor(paused, o.Queue)
		}
		if o.Child != nil {
			child := InstanceOf(o.Child)
			w.Child = &child
		}
		out = append(out, w)
	}
	return out
}
