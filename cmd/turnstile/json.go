package main

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

func (c *cli) printJSON(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// described is a description as --output json prints it.
type described struct {
	Instance         string                     `json:"instance"`
	Name             string                     `json:"name"`
	Version          string                     `json:"version,omitempty"`
	Status           string                     `json:"status"`
	ExecutionID      int64                      `json:"execution_id"`
	FirstExecution   int64                      `json:"first_execution,omitempty"`
	StartID          string                     `json:"start_id,omitempty"`
	CreatedAt        time.Time                  `json:"created_at"`
	UpdatedAt        time.Time                  `json:"updated_at"`
	EndedAt          time.Time                  `json:"ended_at,omitzero"`
	Parent           *parentJSON                `json:"parent,omitempty"`
	SearchAttributes turnstile.SearchAttributes `json:"search_attributes,omitempty"`
	CustomStatus     json.RawMessage            `json:"custom_status,omitempty"`
	Output           json.RawMessage            `json:"output,omitempty"`
	Failure          *wire.Failure              `json:"failure,omitempty"`
	Problem          *store.Problem             `json:"problem,omitempty"`
	// Sealed says why custom status, output and details are left out.
	Sealed string `json:"sealed,omitempty"`
	// WaitingFor is printed by describe alone.
	WaitingFor []waitingJSON `json:"waiting_for,omitempty"`
}

type parentJSON struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
}

func describedOf(d *client.Description) described {
	out := described{
		Instance: d.Instance, Name: d.Name, Version: d.Version, Status: string(d.Status),
		ExecutionID: d.ExecutionID, FirstExecution: d.FirstExecution, StartID: d.StartID,
		CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt, EndedAt: d.EndedAt,
		SearchAttributes: d.SearchAttributes,
		CustomStatus:     valueJSON(d.CustomStatus), Output: valueJSON(d.Output),
		Failure: wire.FailureOf(d.Failure), Problem: d.Problem,
	}
	if d.Sealed != nil {
		out.Sealed = d.Sealed.Error()
	}
	if p := d.Parent; p != nil {
		out.Parent = &parentJSON{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
	}
	return out
}

// valueJSON is a payload as it stands in JSON; one that is none, because a
// codec made it, is base64.
func valueJSON(payload []byte) json.RawMessage {
	if len(payload) == 0 || json.Valid(payload) {
		return payload
	}
	// Bytes always become JSON.
	text, _ := json.Marshal(payload)
	return text
}
