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

// Status of an instance.
type Status = store.Status

// The statuses. A stuck or corrupt instance is one that runs and cannot go on;
// Description.Problem says why.
const (
	StatusRunning    = store.StatusRunning
	StatusCompleted  = store.StatusCompleted
	StatusFailed     = store.StatusFailed
	StatusCancelled  = store.StatusCancelled
	StatusTerminated = store.StatusTerminated
	StatusStuck      = store.StatusStuck
	StatusCorrupt    = store.StatusCorrupt
)

// Description is how an instance stands, as of its last committed turn.
type Description struct {
	Instance string
	// Name and Version of its orchestration.
	Name, Version string
	Status        Status
	// ExecutionID is the current execution; FirstExecution that with which
	// this life of the id began: 1, or higher after a purge.
	ExecutionID, FirstExecution int64
	// StartID of the start that made it.
	StartID string
	// CreatedAt is when the first execution started. EndedAt is zero while it
	// runs.
	CreatedAt, UpdatedAt, EndedAt time.Time
	// Parent that waits for it; nil for a root.
	Parent *Parent
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
	if errors.Is(err, store.ErrNotFound) || err == nil && r.Purged {
		return Description{}, &NotFoundError{Instance: instance}
	}
	if err != nil {
		return Description{}, err
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
		Instance: r.Instance, Name: r.Name, Version: r.Version, Status: r.Status,
		ExecutionID: r.ExecutionID, FirstExecution: r.FirstExecution, StartID: r.StartID,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt,
		SearchAttributes: turnstile.SearchAttributes(r.SearchAttributes),
		CustomStatus:     r.CustomStatus, Output: r.Output, Failure: r.Failure, Problem: r.Problem,
	}
	if p := r.Parent; p != nil {
		d.Parent = &Parent{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID}
	}
	return d
}

// ListQuery selects instances: by status, name, time of start and search
// attributes, in pages.
type ListQuery = store.ListQuery

// ListPage is one page of instances, newest first. NextPageToken is empty on
// the last. With ListQuery.Where a page may be shorter than asked for, or empty,
// and not be the last.
type ListPage struct {
	Instances     []Description
	NextPageToken string
}

// List returns a page of instances. Purged ones are not listed. A page token
// of another query is a [store.ErrBadPageToken].
func (c *Client) List(ctx context.Context, q ListQuery) (ListPage, error) {
	page, err := c.cfg.Store.List(ctx, q)
	if err != nil {
		return ListPage{}, err
	}
	out := ListPage{Instances: make([]Description, len(page.Records)), NextPageToken: page.NextPageToken}
	for i := range page.Records {
		out.Instances[i] = *c.describe(&page.Records[i])
	}
	return out, nil
}

// History returns the events of an execution, in order; execution 0 is the
// current one. [*NotFoundError] if there is no record of the instance; empty for
// an execution that it never had.
//
// A [*store.CorruptError] is a history that is damaged: one that was met in the
// middle of a commit is read again first.
//
// Payloads are plain. What the client can't open stays sealed, and says in
// Event.Codec by what.
//
// The first event holds the instance's secret: [history.EncodeExport] leaves it
// out, for showing it to others.
func (c *Client) History(ctx context.Context, instance string, execution int64) ([]history.Event, error) {
	d, err := c.Describe(ctx, instance)
	if err != nil {
		return nil, err
	}
	turns, execution, err := c.read(ctx, d, execution)
	if err != nil {
		return nil, err
	}
	var events []history.Event
	for _, t := range turns {
		events = append(events, t.Events...)
	}
	return c.cfg.Codecs.OpenWhatItCan(instance, execution, events), nil
}

// looks is how often a client reads what it may have met in the middle of a
// commit.
const looks = 3

// read reads an execution of an instance that was described as d, the current one
// if execution is 0. A record and a history are two reads: what a commit that was
// under way between them may explain is read again before it is called damaged.
func (c *Client) read(ctx context.Context, d Description, execution int64) ([]store.Turn, int64, error) {
	for n := 1; ; n++ {
		of := execution
		if of == 0 {
			of = d.ExecutionID
		}
		turns, err := c.cfg.Store.Read(ctx, d.Instance, of, 1)
		if err == nil && len(turns) == 0 && of == d.ExecutionID {
			err = &store.CorruptError{Instance: d.Instance, ExecutionID: of, EventID: 1, Unconfirmed: true, Reason: "the record is at an execution that has no history"}
		}
		var corrupt *store.CorruptError
		if !errors.As(err, &corrupt) || !corrupt.Unconfirmed || n == looks {
			return turns, of, err
		}
		// Where changes are told of, everything is in one process, which meets
		// no commit in the middle.
		if c.cfg.Changed == nil && !c.pause(ctx, c.cfg.PollInterval, nil) {
			return nil, of, ctx.Err()
		}
		if d, err = c.Describe(ctx, d.Instance); err != nil {
			return nil, of, err
		}
	}
}
