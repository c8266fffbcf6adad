package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Description is how an instance stands, as of its last committed turn.
type Description struct {
	Instance string
	// Name and Version of its orchestration.
	Name, Version string
	Status        Status
	// ExecutionID is the current execution; FirstExecution the first whose history is
	// kept: 1, or higher where one of the same id was purged before, or executions of
	// this one were pruned ([turnstile.KeepExecutions]). Pruned is how many were.
	ExecutionID, FirstExecution, Pruned int64
	// StartID of the start that made it.
	StartID string
	// CreatedAt is when the first execution started. EndedAt is zero while it
	// runs.
	CreatedAt, UpdatedAt, EndedAt time.Time
	// Parent that waits for it; nil for a root.
	Parent *Parent
	// ForkOf is the instance whose fork it is; empty for none. Forked is how often it was
	// forked itself, and Forks the newest of these forks, the newest last, up to 16. A fork whose
	// start was refused last may be among them.
	ForkOf string
	Forked int64
	Forks  []string
	// Sealed says why CustomStatus, Output and the failure's details are left
	// out: a [*codec.UnknownError] if they are sealed by a codec that the client
	// does not have, a [*codec.DamagedError]. Nil where they are shown.
	Sealed error
	// CustomStatus is JSON; nil if none was set.
	CustomStatus json.RawMessage
	// SearchAttributes by which it is found; nil for none.
	SearchAttributes turnstile.SearchAttributes
	// Output is JSON, of a completed instance.
	Output json.RawMessage
	// Failure of one that failed, was cancelled or terminated.
	Failure *history.Failure
	// Problem says why it is stuck or corrupt; nil otherwise.
	Problem *store.Problem
	// Suspension says since when, by whom and why it is suspended; nil otherwise.
	Suspension *store.Suspension
	// LoopedAt is when it was slowed last, because it goes on without a pause
	// ([host.LoopSettings]); zero for never. See Looping.
	LoopedAt time.Time
}

// loopShown is how long after the last pause an instance counts as looping: twice the
// longest pause that there is.
const loopShown = 30 * time.Minute

// Looping reports whether the instance was slowed as a loop of late.
func (d *Description) Looping(now time.Time) bool {
	return !d.LoopedAt.IsZero() && now.Sub(d.LoopedAt) < loopShown
}

// CustomStatusOf returns the custom status ([turnstile.SetCustomStatus]) with its
// type, the zero value if none was set. Error: [*turnstile.DecodeError] for a status that T cannot take, and
// Description.Sealed.
func CustomStatusOf[T any](d Description) (T, error) {
	if d.Sealed != nil {
		var zero T
		return zero, d.Sealed
	}
	return decode[T](d.CustomStatus, "custom status", "")
}

// Parent is where a child was scheduled.
type Parent struct {
	Instance    string
	ExecutionID int64
	// EventID of the SubOrchestrationScheduled.
	EventID int64
}

// Describe returns how the instance stands. [*NotFoundError] if there is no
// record: it was not started, its start is still queued, or it was purged.
func (c *Client) Describe(ctx context.Context, instance string) (Description, error) {
	if err := validInstance(instance); err != nil {
		return Description{}, err
	}
	r, err := c.cfg.Store.Describe(ctx, instance)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && r.Free(c.cfg.Clock.Now()):
		return Description{}, &NotFoundError{Instance: instance}
	case err != nil:
		return Description{}, err
	case r.Purged:
		return Description{}, &NotFoundError{Instance: instance, FreeAt: r.FreeAt}
	}
	return *c.describe(&r), nil
}

// describe opens the record's payloads. What stays sealed is left out: a list
// and a look at an instance need no key.
func (c *Client) describe(r *store.Record) *Description {
	err := c.cfg.Codecs.OpenRecord(r)
	if err != nil {
		r.CustomStatus, r.Output = nil, nil
		if r.Failure != nil {
			bare := *r.Failure
			bare.Details, r.Failure = nil, &bare
		}
	}
	d := &Description{
		Sealed:   err,
		Instance: r.Instance, Name: r.Name, Version: r.Version, Status: Status(r.Status),
		ExecutionID: r.ExecutionID, FirstExecution: r.FirstExecution, Pruned: r.Pruned, StartID: r.StartID,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt,
		SearchAttributes: searchAttributesOf(r.SearchAttributes),
		CustomStatus:     r.CustomStatus, Output: r.Output, Failure: r.Failure, Problem: r.Problem, Suspension: r.Suspension, LoopedAt: r.LoopedAt,
		Forked: r.Forked, Forks: r.Forks,
	}
	if o := r.Origin; o != nil && o.Instance != r.Instance {
		d.ForkOf = o.Instance
	}
	if p := r.Parent; p != nil {
		d.Parent = &Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
	}
	return d
}
