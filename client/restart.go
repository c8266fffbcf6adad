package client

import (
	"context"
	"encoding/json"
	"fmt"
)

// RestartRequest selects the instance that [Client.Restart] restarts.
type RestartRequest struct {
	// Instance id.
	Instance string `json:"-"`
	// Input is JSON; nil for the input of the last execution. If that execution was started by a
	// continue-as-new, its input came from there.
	Input json.RawMessage `json:"input,omitempty"`
	// Version; empty for the newest that is deployed.
	Version string `json:"version,omitempty"`
	// DeduplicationID identifies this restart, so that repeating it is harmless; empty for a random id.
	// It becomes the start id.
	DeduplicationID string `json:"start_id,omitempty"`
}

// Restart starts the next execution of an ended instance from the beginning, with the
// orchestration, headers and search attributes of its last execution, and with the same input
// unless another is given. Restart is a start with [AllowRestart], and returns when the start is
// queued. The new run has no parent: a parent that waited for the instance already has the earlier
// result and is not notified again. Completed activities run again under new idempotency keys, and
// children get new ids unless the code chooses them.
//
// It reads the record and the history of the last execution.
//
// Errors: [*NotFoundError]; [*StillRunningError] with nothing sent; those of [Client.Start]; an error
// that wraps a codec error if the input is encoded with a codec that the client does not have.
func (c *Client) Restart(ctx context.Context, r RestartRequest) (Started, error) {
	d, err := c.Describe(ctx, r.Instance)
	if err != nil {
		return Started{}, err
	}
	if r.DeduplicationID != "" && r.DeduplicationID == d.StartID {
		return Started{Instance: r.Instance, StartID: d.StartID}, nil
	}
	if !d.Status.Terminal() {
		return Started{}, &StillRunningError{Instance: r.Instance, Status: d.Status, restart: true}
	}
	start := StartRequest{Name: d.Name, Version: r.Version, Instance: r.Instance, DeduplicationID: r.DeduplicationID, Input: r.Input, AllowRestart: true}
	turns, execution, err := c.read(ctx, d, 0)
	if err != nil {
		return Started{}, err
	}
	if len(turns) == 0 || turns[0].Events[0].Start == nil {
		return Started{}, fmt.Errorf("turnstile: the history of instance %q execution %d has no start event, so its input is unknown; call Start with client.AllowRestart and an input", r.Instance, execution)
	}
	if start.Input == nil {
		if err := c.cfg.Codecs.DecodeTurns(turns[:1]); err != nil {
			return Started{}, fmt.Errorf("turnstile: input of instance %q execution %d: %w", r.Instance, execution, err)
		}
		start.Input = turns[0].Events[0].Payload
	}
	first := turns[0].Events[0].Start
	start.LimitKey, start.Limit = first.LimitKey, first.Limit
	start.Headers, start.SearchAttributes = first.Headers, first.SearchAttributes
	return c.Start(ctx, start)
}
