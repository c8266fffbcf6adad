package api

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Event is one fact in the history of an execution. history.Event documents which fields each kind has;
// all others are omitted.
type Event struct {
	// EventID is the position in the history, from 1.
	EventID int64 `json:"event_id"`
	// Kind is what happened, such as ActivityScheduled.
	Kind string `json:"kind"`
	// At is when it was recorded.
	At time.Time `json:"at"`
	// SourceEventID is the event that a completion completes.
	SourceEventID int64  `json:"source_event_id,omitempty"`
	Name          string `json:"name,omitempty"`
	// Label that the code gave the operation, with the labels of the contexts around it.
	Label   string `json:"label,omitempty"`
	Version string `json:"version,omitempty"`
	// Instance of a child, or to which a system call refers.
	Instance string `json:"instance,omitempty"`
	// PayloadName is what the payload is called in the export: "input",
	// "output", "result", "data", "value".
	PayloadName string   `json:"payload_name,omitempty"`
	Payload     *Payload `json:"payload,omitempty"`

	// FireAt is when a timer is due, DurationMS the duration that the code requested.
	FireAt     time.Time `json:"fire_at,omitzero"`
	DurationMS int64     `json:"duration_ms,omitempty"`
	// Op of a SystemCall: now, guid, side_effect, trace, raise_event,
	// cancel_instance, resume_instance, patch.
	Op string `json:"op,omitempty"`
	// Inline marks an activity that runs inside the turn.
	Inline      bool `json:"inline,omitempty"`
	ExplicitID  bool `json:"explicit_id,omitempty"`
	UseExisting bool `json:"use_existing,omitempty"`
	// WithPrevious marks an arrival that was recorded before the code had run for the previous one.
	WithPrevious bool           `json:"with_previous,omitempty"`
	OnParentEnd  string         `json:"on_parent_end,omitempty"`
	Retry        *history.Retry `json:"retry,omitempty"`
	// StartedAt, Attempt and RequestID belong to the attempt that ended an activity.
	StartedAt time.Time `json:"started_at,omitzero"`
	Attempt   int       `json:"attempt,omitempty"`
	RequestID string    `json:"request_id,omitempty"`
	// Actor on whose behalf the sender acted, according to the sender.
	Actor    string        `json:"actor,omitempty"`
	SenderID string        `json:"sender_id,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Failure  *wire.Failure `json:"failure,omitempty"`
	// Forced is what ended the execution, if not its code: "terminated", "policy" or "limit".
	Forced string `json:"forced,omitempty"`
	// LimitKey and Limit allow at most Limit instances with this key to run at a time.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	// Start has the other fields of OrchestrationStarted and ParentAttached.
	Start *StartFacts `json:"start,omitempty"`
	// Codec encoded the payload, the details of a failure and states, which are
	// omitted because this program does not have the codec.
	Codec string `json:"codec,omitempty"`
	// Folded names the fields that a list left out because of their size: "details", "states". A
	// payload has its own field for that.
	Folded []string `json:"folded,omitempty"`
}

// StartFacts has the fields of a start other than name, version and input. It never has
// the secret or the token for the parent.
type StartFacts struct {
	ExecutionID      int64                    `json:"execution_id,omitempty"`
	StartID          string                   `json:"start_id,omitempty"`
	Parent           *client.Parent           `json:"parent,omitempty"`
	States           json.RawMessage          `json:"states,omitempty"`
	SearchAttributes history.SearchAttributes `json:"search_attributes,omitempty"`
	Headers          map[string]string        `json:"headers,omitempty"`
	Origin           *history.Origin          `json:"origin,omitempty"`
	// SenderIDs is how many ids of earlier events were carried over.
	SenderIDs int `json:"sender_ids,omitempty"`
}

// Events is a part of the history of one execution.
type Events struct {
	Instance    string  `json:"instance"`
	ExecutionID int64   `json:"execution_id"`
	Events      []Event `json:"events"`
	// LastEventID of the whole history.
	LastEventID int64 `json:"last_event_id"`
	// NextFrom is the first event id of the next page; omitted on the last page.
	NextFrom int64 `json:"next_from,omitempty"`
}

// EventOf returns the JSON form of an event. With whole it includes payloads of any size and their
// original text; otherwise it folds payloads over FoldOver bytes.
func EventOf(e *history.Event, whole bool) Event {
	out := Event{
		EventID: e.EventID, Kind: e.Kind.String(), At: fromMS(e.AtMS), SourceEventID: e.SourceEventID,
		Name: e.Name, Label: e.Label, Version: e.Version, Instance: e.Instance, Payload: payloadOf(e, whole),
		FireAt: fromMS(e.FireAtMS), DurationMS: e.DurationMS,
		Op: e.Op, Inline: e.Inline, ExplicitID: e.ExplicitID, UseExisting: e.UseExisting, WithPrevious: e.WithPrevious, OnParentEnd: e.OnParentEnd, Retry: e.Retry,
		StartedAt: fromMS(e.StartedAtMS), Attempt: e.Attempt, RequestID: e.RequestID,
		Actor: e.Actor, SenderID: e.SenderID, Reason: e.Reason, Failure: failureOf(e.Failure), Forced: e.Forced,
		LimitKey: e.LimitKey, Limit: e.Limit,
	}
	if out.Payload != nil {
		out.PayloadName = e.Kind.PayloadName()
	}
	if s := e.Start; s != nil {
		out.Start = &StartFacts{
			ExecutionID: s.ExecutionID, StartID: s.StartID, States: valueJSON(s.States),
			SearchAttributes: s.SearchAttributes, Headers: s.Headers, Origin: s.Origin, Parent: parentOf(s.Parent), SenderIDs: len(s.SenderIDs),
		}
	}
	if e.Codec != "" {
		out.encode(e.Codec)
	}
	if !whole {
		out.fold()
	}
	return out
}

func parentOf(p *history.Parent) *client.Parent {
	if p == nil {
		return nil
	}
	return &client.Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
}

// encode leaves out what cannot be decoded.
func (e *Event) encode(by string) {
	e.Codec = by
	if e.Start != nil {
		e.Start.States = nil
	}
	if e.Failure != nil {
		e.Failure.Details = nil
	}
}

func (e *Event) fold() {
	if s := e.Start; s != nil && len(s.States) > FoldOver {
		s.States = nil
		e.Folded = append(e.Folded, "states")
	}
	if f := e.Failure; f != nil && len(f.Details) > FoldOver {
		f.Details = nil
		e.Folded = append(e.Folded, "details")
	}
}

// fromMS returns a time; the zero time for 0.
func fromMS(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
