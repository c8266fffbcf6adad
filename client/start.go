package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// StartRequest is an untyped start for [Client.Start], such as in a command line or a gateway. Programs
// that have the declaration use [Start].
type StartRequest struct {
	// Name of the orchestration.
	Name string `json:"name"`
	// Version of the orchestration; empty for the newest deployed version.
	Version string `json:"version,omitempty"`
	// Instance is the instance id. If it is empty, it is derived from Name and DeduplicationID, so that
	// a repeat does not start a second instance; if that is empty too, it is random.
	Instance string `json:"instance,omitempty"`
	// DeduplicationID identifies this start, so that repeating it is harmless; empty for a random id.
	// If a service may repeat its call, derive the id from the service's own request. The instance
	// records it as its start id.
	DeduplicationID string `json:"start_id,omitempty"`
	// Input is JSON; nil for none.
	Input json.RawMessage `json:"input,omitempty"`
	// SearchAttributes that are set when the instance starts.
	SearchAttributes turnstile.SearchAttributes `json:"search_attributes,omitempty"`
	// Headers are passed with the start to the orchestration, its activities and its children: trace
	// context, a tenant. At most 16, 4,096 bytes in all; names consist of lower-case letters, digits,
	// "-", "_" and ".". They are not encoded, even if the client has a codec.
	Headers map[string]string `json:"headers,omitempty"`
	// Events are delivered to the instance when it starts, in this order.
	Events []wire.StartEvent `json:"events,omitempty"`
	// UseExisting returns the instance that already has the id, if it is of the same orchestration,
	// instead of an [*AlreadyExistsError]. Events are then raised for it.
	UseExisting bool `json:"use_existing,omitempty"`
	// AllowRestart starts the next execution of the instance that already has the id, if it has ended
	// and was of the same orchestration, instead of an [*AlreadyExistsError].
	AllowRestart bool `json:"restart,omitempty"`
	// NotBefore is when the code starts; zero, or in the past, for immediately. Until then the instance
	// is listed as [StatusScheduled]. [Client.Reschedule] moves the time, [Client.Resume] starts the
	// code immediately, [Client.Terminate] ends the instance.
	NotBefore time.Time `json:"not_before,omitzero"`
	// Limit is how many instances with LimitKey may run at a time; 0 for no limit except that of the
	// implementation. From NotBefore on, if that is given, the instance waits for a permit as
	// [StatusQueued]; see [turnstile.Limit]. [Client.Resume] starts it immediately, regardless of how
	// many are running. For the key of the implementation's own limit, the number in the implementation
	// applies.
	LimitKey string `json:"limit_key,omitempty"`
	Limit    int    `json:"limit,omitempty"`

	after time.Duration
	err   error
}

// Started holds the ids of a start request.
type Started struct {
	Instance string `json:"instance"`
	StartID  string `json:"start_id,omitempty"`
	// PreviousExecution is the last execution of the ended run if the start restarts an instance; 0
	// otherwise. With it a wait does not mistake the end of that run for the end of this one.
	PreviousExecution int64 `json:"after,omitempty"`
}

// Start starts a new instance. It returns when the start is queued; the instance has no record until
// its first turn is committed.
//
// Errors: [*AlreadyExistsError] if another start has a record, [*EndedError] if UseExisting finds an
// instance that has ended and there are Events for it, [*PurgedError] if an instance with that id was
// purged and the id cannot be reused yet, [*turnstile.InvalidArgumentError] for an invalid name, id or
// headers, [*turnstile.PayloadTooLargeError], [*history.SearchAttributeError].
//
// If two starts race, both may be queued, and one wins; given the StartID, [Run.Wait] and
// [Run.WaitStarted] report which. With UseExisting the StartID is the one in the record, or empty if
// there is no record, because it does not matter which start wins: the caller gets an instance with
// that id, and the instance gets the Events of both starts, each once.
func (c *Client) Start(ctx context.Context, r StartRequest) (Started, error) {
	item, err := c.startItem(&r)
	if err != nil {
		return Started{}, err
	}
	var started Started
	err = c.intercepted(ctx, "start", item, item.Input, func(ctx context.Context, item wire.Item) error {
		started, err = c.start(ctx, &r, item)
		return err
	})
	if err != nil {
		return Started{}, err
	}
	return started, nil
}

func (c *Client) start(ctx context.Context, r *StartRequest, item wire.Item) (Started, error) {
	started := Started{Instance: item.Instance, StartID: item.ID}
	found, err := c.cfg.Store.Describe(ctx, item.Instance)
	switch {
	case c.blind(), errors.Is(err, store.ErrNotFound), err == nil && found.Free(c.cfg.Clock.Now()):
	case err != nil:
		return Started{}, err
	case found.Purged:
		return Started{}, &PurgedError{Instance: item.Instance, FreeAt: found.FreeAt}
	case found.KnowsStart(item.ID):
		return started, nil
	case found.Name == item.Name && r.AllowRestart && found.Status.Terminal():
		started.PreviousExecution = found.ExecutionID
	case !r.UseExisting || found.Name != item.Name:
		return Started{}, alreadyExists(&found)
	case len(item.Events) == 0:
		return Started{Instance: item.Instance, StartID: found.StartID}, nil
	case found.Status.Terminal():
		return Started{}, &EndedError{Instance: item.Instance, Status: found.Status}
	default:
		// The turn that processes the start raises its events for the instance.
		started.StartID = found.StartID
		return started, c.send(ctx, item)
	}
	if r.UseExisting {
		started.StartID = ""
	}
	return started, c.send(ctx, item)
}

func (c *Client) startItem(r *StartRequest) (wire.Item, error) {
	if r.Instance == "" && r.DeduplicationID != "" {
		sum := sha256.Sum256([]byte(r.Name + "\x00" + r.DeduplicationID))
		r.Instance = hex.EncodeToString(sum[:16])
	}
	for _, id := range []*string{&r.Instance, &r.DeduplicationID} {
		if *id == "" {
			random, err := c.newID()
			if err != nil {
				return wire.Item{}, err
			}
			*id = random
		}
	}
	err := errors.Join(r.err, validName("orchestration", r.Name), validVersion(r.Version), validInstance(r.Instance), validID("deduplication id", r.DeduplicationID))
	for i := range r.Events {
		e := &r.Events[i]
		if update, is := strings.CutPrefix(e.Name, history.UpdatePrefix); is && e.ID != "" { // of WithUpdate
			err = errors.Join(err, validUpdate(update))
		} else {
			err = errors.Join(err, validEvent(e.Name))
		}
	}
	if err != nil {
		return wire.Item{}, err
	}
	if len(r.Input) > turnstile.MaxPayload {
		return wire.Item{}, &turnstile.PayloadTooLargeError{What: "input of orchestration", Name: r.Name, Size: len(r.Input), Limit: turnstile.MaxPayload}
	}
	if err := wire.CheckHeaders(r.Headers); err != nil {
		return wire.Item{}, &turnstile.InvalidArgumentError{Call: "Start", Argument: "headers", Problem: "cannot be sent: " + err.Error()}
	}
	attributes := r.SearchAttributes.With(nil)
	if err := attributes.Check(); err != nil {
		return wire.Item{}, err
	}
	if r.after > 0 {
		r.NotBefore = c.cfg.Clock.Now().Add(r.after)
	}
	starts, err := laterMS("Start", r.NotBefore)
	if err != nil {
		return wire.Item{}, err
	}
	if err := limited(r); err != nil {
		return wire.Item{}, err
	}
	return wire.Item{
		Kind: wire.StartOrchestration, LimitKey: r.LimitKey, Limit: r.Limit, Instance: r.Instance, ID: r.DeduplicationID, OnConflict: r.onConflict(), NotBeforeMS: starts,
		Name: r.Name, OrchVersion: r.Version, Input: r.Input, Events: r.Events, SearchAttributes: attributes, Headers: r.Headers,
	}, nil
}

// limited returns an error for invalid limit fields of a start.
func limited(r *StartRequest) error {
	if r.LimitKey == "" && r.Limit == 0 {
		return nil
	}
	wrong := func(argument, problem string) error {
		return &turnstile.InvalidArgumentError{Call: "Start", Argument: argument, Problem: problem}
	}
	if problem := names.LimitKey(r.LimitKey); problem != "" {
		return wrong("limit key", problem)
	}
	if problem := names.Limit(r.Limit); problem != "" {
		return wrong("limit", problem)
	}
	return nil
}

// onConflict returns what the start does if its id is in use.
func (r *StartRequest) onConflict() wire.Conflict {
	switch {
	case r.UseExisting && r.AllowRestart:
		return wire.ConflictUseOrRestart
	case r.UseExisting:
		return wire.ConflictUseExisting
	case r.AllowRestart:
		return wire.ConflictRestart
	}
	return wire.ConflictRefuse
}

func alreadyExists(r *store.Record) *AlreadyExistsError {
	return &AlreadyExistsError{Instance: r.Instance, StartID: r.StartID, Name: r.Name, Status: r.Status}
}

// Start starts a new instance of the orchestration; see [Client.Start], also for the errors.
//
//	run, err := client.Start(ctx, c, Fulfil, order, client.WithInstanceID("order-17"))
//	result, err := run.Wait(ctx)
//
// Options of the declaration ([turnstile.Version], [turnstile.InstanceID],
// [turnstile.UseExisting] and [turnstile.Limit]) apply here too; the options of the start take
// precedence.
func Start[In, Out any](ctx context.Context, c *Client, o turnstile.Orchestration[In, Out], in In, options ...StartOption) (*Run[Out], error) {
	input, err := encode(in, "input of orchestration", o.Name())
	if err != nil {
		return nil, err
	}
	r := StartRequest{Name: o.Name(), Version: o.Version(), Instance: o.InstanceID(), Input: input, UseExisting: o.UsesExisting()}
	r.LimitKey, r.Limit = o.Limit()
	for _, option := range options {
		option.applyToStart(&r)
	}
	started, err := c.Start(ctx, r)
	if err != nil {
		return nil, err
	}
	return &Run[Out]{client: c, name: o.Name(), Instance: started.Instance, StartID: started.StartID, PreviousExecution: started.PreviousExecution}, nil
}
