package client

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/store"
)

// Turns returns the turns of an execution of an instance, from event `from` on (1 for all), as they
// were committed: with the operations that each turn cancelled, and with payloads as they are
// stored. d comes from Describe; execution 0 is the current execution. [Client.History] returns the
// events decoded. The result is empty if there are no turns from there on.
func (c *Client) Turns(ctx context.Context, d Description, execution, from int64) ([]store.Turn, error) {
	if from <= 1 {
		turns, _, err := c.read(ctx, d, execution)
		return turns, err
	}
	if execution == 0 {
		execution = d.ExecutionID
	}
	return c.cfg.Store.Read(ctx, d.Instance, execution, from)
}

// ActivityState returns what is stored about an activity outside its history: its last heartbeat, with
// details if they can be decoded, the attempt that follows a failed one, and whether it was asked to
// stop. The state is zero if nothing is stored. Error: [ErrNoActivities] if the client has no store of
// activities.
func (c *Client) ActivityState(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	if c.cfg.Activities == nil {
		return store.ActivityState{}, ErrNoActivities
	}
	state, err := c.cfg.Activities.State(ctx, key)
	if err != nil {
		return state, fmt.Errorf("turnstile: activity %d of instance %q execution %d: %w", key.EventID, key.Instance, key.ExecutionID, err)
	}
	if opened, err := c.cfg.Codecs.DecodeHeartbeat(key, state.Beat); err == nil {
		state.Beat = opened
	}
	return state, nil
}
