package api

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Instance is the state of an instance.
type Instance struct {
	client.Description
	// States that the code has set, by name.
	States map[string]State `json:"states,omitempty"`
	// Cause is what failed first, in one line, if a failure was passed on. HandedOn has the steps from
	// there to the message of the failure.
	Cause    string           `json:"cause,omitempty"`
	HandedOn []cause.HandedOn `json:"handed_on,omitempty"`
	// CauseKey is the key under which the list of failures groups it with instances that failed alike.
	CauseKey string        `json:"cause_key,omitempty"`
	Failure  *wire.Failure `json:"failure,omitempty"`
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
	// Updates is what the command describe prints for updates that are not answered; omitted elsewhere.
	Updates []client.UpdateStatus `json:"updates,omitempty"`
	// Code is what describe --code prints; omitted elsewhere.
	Code *CodeWaits `json:"code,omitempty"`
}

// PendingOperation is an operation that an instance waits for.
type PendingOperation struct {
	client.PendingOperation
	// Paused is the pause of the queue of an activity.
	Paused *PausedQueue `json:"paused,omitempty"`
	// Child of a sub-orchestration; omitted if it has no record yet.
	Child *Instance `json:"child,omitempty"`
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
	out := Instance{Description: *d, States: statesOf(d.States), Failure: failureOf(d.Failure)}
	out.Output = valueJSON(d.Output)
	if d.DecodeError != nil {
		out.DecodeError = d.DecodeError.Error()
	}
	if d.Failure != nil {
		if first := cause.OfFailure(d.Failure, d.Name); first.Message != d.Failure.Message || d.Failure.Source != "" {
			out.Cause = first.Line()
			out.HandedOn = cause.Chain(d.Failure.Message)
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
		w := PendingOperation{PendingOperation: *o}
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
