package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/names"
)

// InstanceLimit returns the state of the limit of instances with a key, with one read.
//
// Errors: [*NotFoundError] if no instance with this key was ever started; an error if the state of the
// limit's coordinator cannot be decoded.
func (c *Client) InstanceLimit(ctx context.Context, key string) (Limit, error) {
	if problem := names.LimitKey(key); problem != "" {
		return Limit{}, &turnstile.InvalidArgumentError{Call: "InstanceLimit", Argument: "key", Problem: problem}
	}
	d, err := c.Describe(ctx, coordination.InstanceID(key))
	if err != nil {
		return Limit{}, err
	}
	return instanceLimit(&d)
}

// instanceLimit returns the limit that its coordinator publishes.
func instanceLimit(d *Description) (Limit, error) {
	line := coordination.State{Key: coordination.KeyOf(d.Instance)}
	if shown, ok := d.States[history.ListedState]; ok {
		if err := json.Unmarshal(shown.Value, &line); err != nil {
			return Limit{}, fmt.Errorf("turnstile: the coordinator %q has no valid waiting list: %w", d.Instance, err)
		}
	}
	l := Limit{Key: line.Key, Instances: true, Coordinator: d.Instance, CoordinatorStatus: d.Status, Permits: line.N, Declared: line.Declared, Set: line.Set, Closed: line.Closed, SetBy: line.SetBy,
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
	l.Taken = len(l.Held)
	for _, p := range line.Waiting {
		l.Waiting = append(l.Waiting, LimitWaiter{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID, Since: time.UnixMilli(p.SinceMS).UTC()})
	}
	return l, nil
}

// InstanceLimits returns at most 1,000 limits of instances, those with the newest coordinators
// first. It makes one read for each page of them.
func (c *Client) InstanceLimits(ctx context.Context) ([]Limit, error) {
	all := []Limit{}
	for q := (ListQuery{Name: coordination.Orchestration}); len(all) < mostCoordinators; {
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

// mostCoordinators is the maximum number of coordinators that are listed.
const mostCoordinators = 1000

// SetInstanceLimit sets how many instances with this key may run at a time, 0 to
// [turnstile.MaxLimit], until [Client.ResetInstanceLimit]. This number takes precedence over the
// number in the code of every deployment. Running instances continue.
//
// Errors: [*NotFoundError] if no instance with this key was ever started, [*EndedError] if the limit's
// coordinator was terminated, [*turnstile.InvalidArgumentError] for an invalid key or number.
func (c *Client) SetInstanceLimit(ctx context.Context, key string, n int) error {
	if problem := names.SetLimit(n); problem != "" {
		return &turnstile.InvalidArgumentError{Call: "SetInstanceLimit", Argument: "n", Problem: problem}
	}
	return c.order(ctx, "SetInstanceLimit", key, coordination.Order{N: n, Close: n == 0})
}

// ResetInstanceLimit makes the number in the code apply again. Errors are those of SetInstanceLimit.
func (c *Client) ResetInstanceLimit(ctx context.Context, key string) error {
	return c.order(ctx, "ResetInstanceLimit", key, coordination.Order{N: -1})
}

// MoveToFront moves an instance that waits for a permit of a limit to the front of the waiting list. It
// reads the record.
//
// Errors: [*NotFoundError]; [*turnstile.InvalidArgumentError] if the instance does not wait for a
// permit.
func (c *Client) MoveToFront(ctx context.Context, instance string) error {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return err
	}
	if d.Suspension == nil || d.Suspension.LimitKey == "" {
		return &turnstile.InvalidArgumentError{Call: "MoveToFront", Argument: "instance", Problem: fmt.Sprintf("%q is %s: it does not wait for a permit of a limit", instance, d.Status)}
	}
	return c.order(ctx, "MoveToFront", d.Suspension.LimitKey, coordination.Order{First: instance})
}

// order sends an order to the coordinator of a key.
func (c *Client) order(ctx context.Context, operation, key string, o coordination.Order) error {
	if problem := names.LimitKey(key); problem != "" {
		return &turnstile.InvalidArgumentError{Call: operation, Argument: "key", Problem: problem}
	}
	d, err := c.Describe(ctx, coordination.InstanceID(key))
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
	return c.Raise(ctx, RaiseRequest{Instance: coordination.InstanceID(key), Name: coordination.Orders, Data: data})
}
