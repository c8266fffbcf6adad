package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/gating"
	"github.com/turnstile-go/turnstile/internal/names"
)

// InstanceLimit returns how the limit of instances with a key stands: one read.
//
// Errors: [*NotFoundError] if no instance with this key was ever started; those of a gate whose
// state cannot be read.
func (c *Client) InstanceLimit(ctx context.Context, key string) (Limit, error) {
	if problem := names.LimitKey(key); problem != "" {
		return Limit{}, &turnstile.InvalidArgumentError{Call: "InstanceLimit", Argument: "key", Problem: problem}
	}
	d, err := c.Describe(ctx, gating.InstanceID(key))
	if err != nil {
		return Limit{}, err
	}
	return instanceLimit(&d)
}

// instanceLimit is the limit that a gate shows.
func instanceLimit(d *Description) (Limit, error) {
	line := gating.Line{Key: gating.KeyOf(d.Instance)}
	if len(d.CustomStatus) > 0 {
		if err := json.Unmarshal(d.CustomStatus, &line); err != nil {
			return Limit{}, fmt.Errorf("turnstile: the gate %q shows no line: %w", d.Instance, err)
		}
	}
	l := Limit{Key: line.Key, Instances: true, Gate: d.Instance, GateStatus: d.Status, Permits: line.N, Declared: line.Declared, Set: line.Set, Closed: line.Closed, SetBy: line.SetBy,
		Length: line.Length, Held: []LimitHolder{}, Waiting: []LimitWaiter{}}
	if line.SetAtMS > 0 {
		l.SetAt = time.UnixMilli(line.SetAtMS).UTC()
	}
	if line.Other > 0 {
		l.Other, l.OtherAt = line.Other, time.UnixMilli(line.OtherMS).UTC()
	}
	for _, p := range line.Running {
		l.Held = append(l.Held, LimitHolder{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID, Since: time.UnixMilli(p.SinceMS).UTC()})
	}
	for _, p := range line.Waiting {
		l.Waiting = append(l.Waiting, LimitWaiter{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID, Since: time.UnixMilli(p.SinceMS).UTC()})
	}
	return l, nil
}

// InstanceLimits returns the limits of instances, the newest gates first, at most 1,000. It makes
// a read for each page of them.
func (c *Client) InstanceLimits(ctx context.Context) ([]Limit, error) {
	all := []Limit{}
	for q := (ListQuery{Name: gating.Orchestration}); len(all) < mostGates; {
		page, err := c.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Instances {
			l, err := instanceLimit(&page.Instances[i])
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			break
		}
	}
	return all, nil
}

// mostGates are how many gates are listed.
const mostGates = 1000

// SetInstanceLimit changes how many instances with this key may run at a time, 0 to
// [turnstile.MaxLimit], until [Client.ResetInstanceLimit]: it takes precedence over the number in
// the code of each deployment. Instances that run go on.
//
// Errors: [*NotFoundError] if no instance with this key was ever started, [*EndedError] if its gate
// was terminated; [*turnstile.InvalidArgumentError] for a key or a number that cannot be.
func (c *Client) SetInstanceLimit(ctx context.Context, key string, n int) error {
	if problem := names.SetLimit(n); problem != "" {
		return &turnstile.InvalidArgumentError{Call: "SetInstanceLimit", Argument: "n", Problem: problem}
	}
	return c.order(ctx, "SetInstanceLimit", key, gating.Order{N: n, Close: n == 0})
}

// ResetInstanceLimit has the number in the code count again. Errors as for SetInstanceLimit.
func (c *Client) ResetInstanceLimit(ctx context.Context, key string) error {
	return c.order(ctx, "ResetInstanceLimit", key, gating.Order{N: -1})
}

// MoveToFront makes an instance that waits for its turn under a limit the first of those that
// wait. It reads the record.
//
// Errors: [*NotFoundError]; [*turnstile.InvalidArgumentError] if it does not wait for its turn.
func (c *Client) MoveToFront(ctx context.Context, instance string) error {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return err
	}
	if d.Suspension == nil || d.Suspension.LimitKey == "" {
		return &turnstile.InvalidArgumentError{Call: "MoveToFront", Argument: "instance", Problem: fmt.Sprintf("%q is %s, it waits for no turn under a limit", instance, d.Status)}
	}
	return c.order(ctx, "MoveToFront", d.Suspension.LimitKey, gating.Order{First: instance})
}

// order sends an order to the gate of a key.
func (c *Client) order(ctx context.Context, operation, key string, o gating.Order) error {
	if problem := names.LimitKey(key); problem != "" {
		return &turnstile.InvalidArgumentError{Call: operation, Argument: "key", Problem: problem}
	}
	d, err := c.Describe(ctx, gating.InstanceID(key))
	switch {
	case err != nil:
		return err
	case d.Status.Terminal():
		return &EndedError{Instance: d.Instance, Status: d.Status}
	}
	o.By, o.AtMS = c.actor, c.cfg.Clock.Now().UnixMilli()
	data, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return c.Raise(ctx, RaiseRequest{Instance: gating.InstanceID(key), Name: gating.Orders, Data: data})
}
