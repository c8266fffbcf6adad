package remote

import (
	"context"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Act implements [acts.Caller].
func (c *Client) Act(ctx context.Context, act acts.Any, id string, in, out any) error {
	return c.post(ctx, act.About().At(segment(id)), in, out)
}

// Start starts a new instance.
func (c *Client) Start(ctx context.Context, r client.StartRequest) (client.Started, error) {
	return acts.Start.Call(ctx, c, "", r)
}

// Raise raises an external event.
func (c *Client) Raise(ctx context.Context, r client.RaiseRequest) error {
	_, err := acts.Raise.Call(ctx, c, r.Instance, api.Raise{Name: r.Name, Data: r.Data, SenderID: r.DeduplicationID})
	return err
}

// PauseQueue pauses or unpauses an activity queue.
func (c *Client) PauseQueue(ctx context.Context, queue string, paused bool) error {
	verb := "unpause"
	if paused {
		verb = "pause"
	}
	return c.post(ctx, "queues/"+verb, api.PauseQueue{Queue: queue}, nil)
}

// DeadLetters reads dead letters. Others cannot receive them during the read.
func (c *Client) DeadLetters(ctx context.Context, in api.PeekDeadLetters) (api.DeadLetters, error) {
	var out api.DeadLetters
	err := c.post(ctx, "dead-letters/peek", in, &out)
	return out, err
}

// RemoveDeadLetters redrives or deletes dead letters.
func (c *Client) RemoveDeadLetters(ctx context.Context, remove bool, in api.RemoveDeadLetters) (api.RemovedDeadLetters, error) {
	path := "dead-letters/redrive"
	if remove {
		path = "dead-letters/delete"
	}
	var out api.RemovedDeadLetters
	err := c.post(ctx, path, in, &out)
	return out, err
}
