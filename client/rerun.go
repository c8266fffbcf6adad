package client

import (
	"context"
	"encoding/json"
	"fmt"
)

// RerunRequest is what [Client.Rerun] begins again.
type RerunRequest struct {
	// Instance id.
	Instance string
	// Input is JSON; nil for the input that the last execution began with, which after a
	// continue-as-new is what that gave it.
	Input json.RawMessage
	// Version; empty for the newest that is deployed.
	Version string
	// DeduplicationID tells a repeat of this rerun, which is harmless, from another one;
	// empty for a random one. It becomes the start id.
	DeduplicationID string
}

// Rerun has an instance that has ended begin its next execution, from the beginning: with
// the same orchestration, headers and search attributes as its last execution began with,
// and the same input unless another is given. It is a start with [BeginAgain], and
// returns when that is queued. Nobody waits for the new run as a parent: one that waited
// for the instance has been told how it ended, and is told nothing more. Activities that
// were completed run again, under new idempotency keys, and children get new ids, unless
// the code chooses them.
//
// It reads the record and the history of the last execution.
//
// Errors: [*NotFoundError], [*StillRunningError] with nothing sent, those of
// [Client.Start], and one that wraps a codec's if the input is sealed by a codec that the
// client does not have.
func (c *Client) Rerun(ctx context.Context, r RerunRequest) (Started, error) {
	d, err := c.Describe(ctx, r.Instance)
	if err != nil {
		return Started{}, err
	}
	if r.DeduplicationID != "" && r.DeduplicationID == d.StartID {
		return Started{Instance: r.Instance, StartID: d.StartID}, nil
	}
	if !d.Status.Terminal() {
		return Started{}, &StillRunningError{Instance: r.Instance, Status: d.Status, rerun: true}
	}
	start := StartRequest{Name: d.Name, Version: r.Version, Instance: r.Instance, DeduplicationID: r.DeduplicationID, Input: r.Input, BeginAgain: true}
	turns, execution, err := c.read(ctx, d, 0)
	if err != nil {
		return Started{}, err
	}
	if len(turns) == 0 || turns[0].Events[0].Start == nil {
		return Started{}, fmt.Errorf("turnstile: the history of instance %q execution %d has no start event with its input; start it with client.BeginAgain and an input", r.Instance, execution)
	}
	if start.Input == nil {
		if err := c.cfg.Codecs.OpenTurns(turns[:1]); err != nil {
			return Started{}, fmt.Errorf("turnstile: input of instance %q execution %d: %w", r.Instance, execution, err)
		}
		start.Input = turns[0].Events[0].Payload
	}
	first := turns[0].Events[0].Start
	start.LimitKey, start.Limit = first.LimitKey, first.Limit
	start.Headers, start.SearchAttributes = first.Headers, searchAttributesOf(first.SearchAttributes)
	return c.Start(ctx, start)
}
