package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Description is the state of an instance as of its last committed turn.
type Description struct {
	Instance string `json:"instance"`
	// Name and Version of the instance's orchestration.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Status  Status `json:"status"`
	// ExecutionID is the current execution. FirstExecution is the first execution whose history is
	// kept: 1, or higher if an instance with the same id was purged before, or if executions of this
	// one were pruned ([turnstile.KeepExecutions]). Pruned is how many were pruned.
	ExecutionID    int64 `json:"execution_id"`
	FirstExecution int64 `json:"first_execution,omitempty"`
	Pruned         int64 `json:"pruned,omitempty"`
	// Skipped are the numbers between FirstExecution and ExecutionID that never became current, in
	// order. Each is from a redrive that copied its history in several commits and never completed.
	// These executions have no history.
	Skipped []int64 `json:"skipped,omitempty"`
	// StartID is the id of the start that created the instance.
	StartID string `json:"start_id,omitempty"`
	// CreatedAt is when the first execution started, or when the instance was last restarted; a
	// redrive does not change it. EndedAt is zero while the instance runs.
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	// Redriven is the execution that was redriven last; later executions continue it. 0 for none.
	Redriven int64 `json:"redriven,omitempty"`
	// Parent is the instance that waits for this one; nil if this one is not a child.
	Parent *Parent `json:"parent,omitempty"`
	// ForkOf is the instance that this one was forked from; empty if it is not a fork. ForkCount is
	// the number of times that this instance was forked. Forks lists the newest 16 forks, the
	// newest last. Forks may include one whose start was refused.
	ForkOf    string   `json:"fork_of,omitempty"`
	ForkCount int64    `json:"forked,omitempty"`
	Forks     []string `json:"forks,omitempty"`
	// DecodeError is the reason why States, Output and the failure's details are left out: a
	// [*codec.UnknownError] if they are encoded with a codec that the client does not have, or a
	// [*codec.DamagedError]. Nil if they could be decoded.
	DecodeError error `json:"-"`
	// States are the values of the states ([turnstile.State]) that were set, as JSON, by name; nil for
	// none.
	States map[string]StateValue[json.RawMessage] `json:"-"`
	// SearchAttributes of the instance; nil for none.
	SearchAttributes turnstile.SearchAttributes `json:"search_attributes,omitempty"`
	// Output is JSON; nil unless the instance completed.
	Output json.RawMessage `json:"output,omitempty"`
	// Failure of an instance that failed, was cancelled or was terminated; nil otherwise.
	Failure *history.Failure `json:"-"`
	// Problem is why the instance is stuck or corrupt; nil otherwise.
	Problem *store.Problem `json:"problem,omitempty"`
	// Suspension is set while the instance is suspended, with the time, actor and reason; nil
	// otherwise.
	Suspension *store.Suspension `json:"suspension,omitempty"`
	// Awaits names the build that the instance waits for, because its history contains something that
	// the running build does not know, for example after a rollback past a patch. Nil if it waits for
	// no build, as far as is known.
	Awaits *store.Problem `json:"awaits,omitempty"`
	// LoopedAt is when the instance was last slowed down because it runs turn after turn without a
	// pause ([host.LoopSettings]); zero for never. See Looping.
	LoopedAt time.Time `json:"looped_at,omitzero"`
}

// loopShown is how long after its last delay an instance counts as looping: twice the longest such
// delay.
const loopShown = 30 * time.Minute

// Looping reports whether the instance was recently slowed down as a loop.
func (d *Description) Looping(now time.Time) bool {
	return !d.LoopedAt.IsZero() && now.Sub(d.LoopedAt) < loopShown
}

// Executions returns the numbers of the executions whose histories are kept, in order. A fork whose
// copy is not complete has none ([StatusForking]).
func (d *Description) Executions() iter.Seq[int64] {
	last := d.ExecutionID
	if d.Status == StatusForking {
		last = 0
	}
	return store.Executions(d.FirstExecution, last, d.Skipped)
}

// has reports whether an execution with this number exists, or existed before it was pruned.
func (d *Description) has(execution int64) bool {
	return d.Status != StatusForking && execution <= d.ExecutionID && !slices.Contains(d.Skipped, execution)
}

// Parent identifies where a child was scheduled.
type Parent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	// EventID of the SubOrchestrationScheduled.
	EventID int64 `json:"event_id"`
}

// Describe returns the state of the instance. Error: [*NotFoundError] if it has no record, because it
// was not started, its start is still queued, or it was purged.
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

// describe decodes the payloads of the record. Payloads that cannot be decoded are left out, so a
// client needs no key to list and describe instances.
func (c *Client) describe(r *store.Record) *Description {
	err := c.cfg.Codecs.DecodeRecord(r)
	var states map[string]StateValue[json.RawMessage]
	if err == nil {
		states, err = statesOf(r)
	}
	if err != nil {
		r.Output = nil
		if r.Failure != nil {
			bare := *r.Failure
			bare.Details, r.Failure = nil, &bare
		}
	}
	d := &Description{
		DecodeError: err,
		Instance:    r.Instance, Name: r.Name, Version: r.Version, Status: r.Status,
		ExecutionID: r.ExecutionID, FirstExecution: r.FirstExecution, Pruned: r.Pruned, Skipped: r.Skipped, StartID: r.StartID,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt,
		SearchAttributes: maps.Clone(r.SearchAttributes),
		States:           states, Output: r.Output, Failure: r.Failure, Problem: r.Problem, Suspension: r.Suspension, Awaits: r.Awaiting(c.cfg.Clock.Now()), LoopedAt: r.LoopedAt,
		ForkCount: r.Forked, Forks: r.Forks,
	}
	switch o := r.Origin; {
	case o == nil:
	case o.Instance == r.Instance:
		d.Redriven = o.ExecutionID
	default:
		d.ForkOf = o.Instance
	}
	if p := r.Parent; p != nil {
		d.Parent = &Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
	}
	return d
}
