package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// Start asks for a new instance.
func (c *Client) Start(ctx context.Context, r client.StartRequest) (client.Started, error) {
	in := api.Start{Name: r.Name, Version: r.Version, Instance: r.Instance, StartID: r.DeduplicationID, Input: r.Input,
		SearchAttributes: r.SearchAttributes, Headers: r.Headers, UseExisting: r.UseExisting, BeginAgain: r.BeginAgain, NotBefore: r.NotBefore, LimitKey: r.LimitKey, Limit: r.Limit}
	for _, e := range r.Events {
		in.Events = append(in.Events, api.StartEvent{Name: e.Name, Data: e.Data})
	}
	var got api.Started
	err := c.post(ctx, "instances", in, &got)
	return client.Started{Instance: got.Instance, StartID: got.StartID, After: got.After}, err
}

// Rerun has an instance that has ended begin again.
func (c *Client) Rerun(ctx context.Context, r client.RerunRequest) (client.Started, error) {
	var got api.Started
	err := c.post(ctx, "instances/"+segment(r.Instance)+"/rerun", api.Rerun{Input: r.Input, Version: r.Version, StartID: r.DeduplicationID}, &got)
	return client.Started{Instance: got.Instance, StartID: got.StartID, After: got.After}, err
}

// Redrive has an instance that has ended go on where it failed.
func (c *Client) Redrive(ctx context.Context, r client.RedriveRequest) (client.Redriven, error) {
	var got api.Redriven
	err := c.post(ctx, "instances/"+segment(r.Instance)+"/redrive", api.Redrive{As: r.As, From: r.From, Reason: r.Reason, Reset: r.Reset, DryRun: r.DryRun, StartID: r.DeduplicationID}, &got)
	d := client.Redriven{Started: client.Started{Instance: got.Instance, StartID: got.StartID, After: got.After}, TakenOver: got.TakenOver, Kept: got.Kept}
	for _, w := range got.Again {
		one := client.RedrivenWork{EventID: w.EventID, Name: w.Name, Instance: w.Instance, Why: w.Why}
		for _, k := range history.Kinds() {
			if k.String() == w.Kind {
				one.Kind = k
			}
		}
		d.Again = append(d.Again, one)
	}
	return d, err
}

// Raise raises an external event.
func (c *Client) Raise(ctx context.Context, r client.RaiseRequest) error {
	return c.act(ctx, r.Instance, "raise", api.Raise{Name: r.Name, Data: r.Data, SenderID: r.DeduplicationID})
}

// CheckRaise returns what is odd about an event, as the console knows it.
func (c *Client) CheckRaise(ctx context.Context, r client.RaiseRequest) ([]string, error) {
	var sent api.Sent
	err := c.post(ctx, "instances/"+segment(r.Instance)+"/raise", api.Raise{Name: r.Name, Data: r.Data, DryRun: true}, &sent)
	return sent.Notes, err
}

// Cancel asks an instance to stop.
func (c *Client) Cancel(ctx context.Context, instance, reason string) error {
	return c.act(ctx, instance, "cancel", api.End{Reason: reason})
}

// Terminate ends an instance without running its code.
func (c *Client) Terminate(ctx context.Context, instance, reason string) error {
	return c.act(ctx, instance, "terminate", api.End{Reason: reason})
}

// Wake lets an instance try again.
func (c *Client) Wake(ctx context.Context, instance string) error {
	return c.act(ctx, instance, "wake", api.Nothing{})
}

// Suspend has an instance run no code until it is resumed.
func (c *Client) Suspend(ctx context.Context, instance, reason string) error {
	return c.act(ctx, instance, "suspend", api.End{Reason: reason})
}

// Resume lets a suspended instance go on.
func (c *Client) Resume(ctx context.Context, instance, reason string) error {
	return c.act(ctx, instance, "resume", api.End{Reason: reason})
}

// Reschedule moves the time at which a scheduled instance begins.
func (c *Client) Reschedule(ctx context.Context, instance string, at time.Time) error {
	return c.act(ctx, instance, "reschedule", api.Reschedule{At: at})
}

// FireTimer fires a timer before it is due.
func (c *Client) FireTimer(ctx context.Context, instance string, eventID int64, reason string) error {
	return c.act(ctx, instance, "fire-timer", api.Early{EventID: eventID, Reason: reason})
}

// OpenTimer returns when a timer is due that FireTimer would fire, and sends nothing.
func (c *Client) OpenTimer(ctx context.Context, instance string, eventID int64) (client.PendingOperation, error) {
	var sent api.Sent
	err := c.post(ctx, "instances/"+segment(instance)+"/fire-timer", api.Early{EventID: eventID, DryRun: true}, &sent)
	return client.PendingOperation{EventID: eventID, DueAt: sent.DueAt}, err
}

// RetryNow has an attempt made that waits.
func (c *Client) RetryNow(ctx context.Context, instance string, eventID int64) error {
	return c.act(ctx, instance, "retry-now", api.Early{EventID: eventID})
}

// NextAttempt returns the attempt that RetryNow would have made, and sends nothing.
func (c *Client) NextAttempt(ctx context.Context, instance string, eventID int64) (store.NextAttempt, error) {
	var sent api.Sent
	err := c.post(ctx, "instances/"+segment(instance)+"/retry-now", api.Early{EventID: eventID, DryRun: true}, &sent)
	return store.NextAttempt{Attempt: sent.Attempt, DueAt: sent.DueAt}, err
}

// Purge removes an instance.
func (c *Client) Purge(ctx context.Context, instance string, what api.Purge) error {
	return c.act(ctx, instance, "purge", what)
}

// act sends something for an instance.
func (c *Client) act(ctx context.Context, instance, what string, body any) error {
	var sent api.Sent
	if err := c.post(ctx, "instances/"+segment(instance)+"/"+what, body, &sent); err != nil {
		return err
	}
	if sent.NoRecord {
		return fmt.Errorf("%s for instance %q: %w", what, instance, client.ErrNoRecord)
	}
	return nil
}

// Complete completes a pending activity.
func (c *Client) Complete(ctx context.Context, token string, result json.RawMessage) error {
	return c.post(ctx, "activities/complete", api.CompleteActivity{PendingActivity: api.PendingActivity{Token: token}, Result: result}, nil)
}

// Fail lets a pending activity fail.
func (c *Client) Fail(ctx context.Context, token, message, code string, details json.RawMessage) error {
	return c.post(ctx, "activities/fail", api.FailActivity{PendingActivity: api.PendingActivity{Token: token}, Message: message, Code: code, Details: details}, nil)
}

// Heartbeat says that a pending activity is still worked on.
func (c *Client) Heartbeat(ctx context.Context, token string, details json.RawMessage) error {
	return c.post(ctx, "activities/heartbeat", api.HeartbeatActivity{PendingActivity: api.PendingActivity{Token: token}, Details: details}, nil)
}

// PauseQueue pauses an activity queue, or lets it go on.
func (c *Client) PauseQueue(ctx context.Context, queue string, paused bool) error {
	verb := "unpause"
	if paused {
		verb = "pause"
	}
	return c.post(ctx, "queues/"+verb, api.PauseQueue{Queue: queue}, nil)
}

// SetLimit changes a limit over instances.
func (c *Client) SetLimit(ctx context.Context, key string, n int) error {
	return c.post(ctx, "limits/set", api.SetLimit{Key: key, Permits: &n}, nil)
}

// ResetLimit has the number in the code count again.
func (c *Client) ResetLimit(ctx context.Context, key string) error {
	return c.post(ctx, "limits/reset", api.ResetLimit{Key: key}, nil)
}

// SetRate changes a rate over instances.
func (c *Client) SetRate(ctx context.Context, key string, n int, per time.Duration) error {
	return c.post(ctx, "limits/set", api.SetLimit{Key: key, Permits: &n, Rate: true, PerMS: per.Milliseconds()}, nil)
}

// ResetRate has the rate in the code count again.
func (c *Client) ResetRate(ctx context.Context, key string) error {
	return c.post(ctx, "limits/reset", api.ResetLimit{Key: key, Rate: true}, nil)
}

// SetInstanceLimit changes a limit of instances.
func (c *Client) SetInstanceLimit(ctx context.Context, key string, n int) error {
	return c.post(ctx, "limits/set", api.SetLimit{Key: key, Permits: &n, Instances: true}, nil)
}

// ResetInstanceLimit has the number in the code count again.
func (c *Client) ResetInstanceLimit(ctx context.Context, key string) error {
	return c.post(ctx, "limits/reset", api.ResetLimit{Key: key, Instances: true}, nil)
}

// MoveToFront makes an instance that waits under a limit the first of its line.
func (c *Client) MoveToFront(ctx context.Context, instance string) error {
	return c.act(ctx, instance, "first", api.Nothing{})
}

// DeadLetters looks at dead letters, which hides them from others for that moment.
func (c *Client) DeadLetters(ctx context.Context, in api.PeekDeadLetters) (api.DeadLetters, error) {
	var out api.DeadLetters
	err := c.post(ctx, "dead-letters/peek", in, &out)
	return out, err
}

// RemoveDeadLetters redrives dead letters, or deletes them.
func (c *Client) RemoveDeadLetters(ctx context.Context, remove bool, in api.RemoveDeadLetters) (api.RemovedDeadLetters, error) {
	path := "dead-letters/redrive"
	if remove {
		path = "dead-letters/delete"
	}
	var out api.RemovedDeadLetters
	err := c.post(ctx, path, in, &out)
	return out, err
}
