package client

import (
	"context"
	"fmt"

	"github.com/turnstile-go/turnstile/store"
)

// Turns returns the turns of an execution of an instance, which Describe has
// returned, from event `from` on (1 for all), as they were committed: with what each
// cancelled, payloads as they are stored. History has the events, opened. Execution
// 0 is the one that d names. Empty if there are none from there on.
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

// ActivityState returns what is known of an activity outside its history: its last
// heartbeat, with details as far as they can be opened, the attempt that is to
// follow a failed one, and whether it was asked to stop. The zero state if nothing
// is known, [ErrNoActivities] if the client cannot look there.
func (c *Client) ActivityState(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	if c.cfg.Activities == nil {
		return store.ActivityState{}, ErrNoActivities
	}
	state, err := c.cfg.Activities.State(ctx, key)
	if err != nil {
		return state, fmt.Errorf("turnstile: activity %d of instance %q execution %d: %w", key.EventID, key.Instance, key.ExecutionID, err)
	}
	if opened, err := c.cfg.Codecs.OpenHeartbeat(key, state.Beat); err == nil {
		state.Beat = opened
	}
	return state, nil
}
