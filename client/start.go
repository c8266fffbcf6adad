package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// StartRequest is a start as [Client.Start] takes it: untyped, for a
// command line or a gateway. Programs that have the declaration use [Start].
type StartRequest struct {
	// Name of the orchestration.
	Name string
	// Version; empty for the newest that is deployed.
	Version string
	// Instance id. If it is empty, it derives from Name and DeduplicationID, so that a repeat
	// starts no second instance, or is random if that is empty too.
	Instance string
	// DeduplicationID tells a repeat of this start, which is harmless, from another
	// one; empty for a random one. A service that may repeat its call gives
	// it an id of the request. The instance records it as its start id.
	DeduplicationID string
	// Input is JSON; nil for none.
	Input json.RawMessage
	// SearchAttributes that the instance has from its start on.
	SearchAttributes turnstile.SearchAttributes
	// Headers go with the start to the orchestration, its activities and its
	// children: trace context, a tenant. At most 16, 4,096 bytes in all; names
	// of lower-case letters, digits, "-", "_" and ".". They are plain also where
	// the client has a codec.
	Headers map[string]string
	// Events that the instance finds when it starts, in this order.
	Events []wire.StartEvent
	// UseExisting returns the instance that has the id already, if it is one of
	// the same orchestration, in place of an [*AlreadyExistsError]. Events are then
	// raised for it.
	UseExisting bool
	// BeginAgain begins the next execution of the instance that has the id already, if it
	// has ended and was one of the same orchestration, in place of an
	// [*AlreadyExistsError].
	BeginAgain bool
	// NotBefore is when its code begins; zero, or in the past, for at once. Until then the
	// instance is listed as [StatusScheduled]. [Client.Reschedule] moves the time,
	// [Client.Resume] begins it at once, [Client.Terminate] ends it.
	NotBefore time.Time
	// LimitKey and Limit: at most so many instances with this key run at a time; 0 for no
	// limit but that of the implementation. The instance waits for its turn as [StatusQueued], from
	// NotBefore on if that is given; see [turnstile.Limit]. [Client.Resume] has it begin at
	// once, whatever runs. The number of the implementation counts for its own key.
	LimitKey string
	Limit    int

	after time.Duration
	err   error
}

// Started holds the ids of a start request.
type Started struct {
	Instance string
	StartID  string
	// After is the last execution of the run that has ended and that the start follows,
	// where it begins an instance again; 0 otherwise. A wait does not take the end of
	// that run for the end of this one.
	After int64
}

// Start asks for a new instance. It returns when the start is queued; the
// instance has no record until its first turn is committed.
//
// Errors: [*AlreadyExistsError] if there is a record of another start, [*EndedError]
// if UseExisting finds an instance that has ended, and there are Events for it,
// [*PurgedError] if an instance of that id was purged and the id is not free again
// yet, [*turnstile.InvalidArgumentError] for a name, an id or headers,
// [*turnstile.PayloadTooLargeError], [*history.SearchAttributeError].
//
// Where two starts race, both may be queued, and one wins: [Run.Wait] and
// [Run.WaitStarted], given the StartID, tell which. With UseExisting the
// StartID is that of the record, if there is one, and empty if not: whichever
// start wins, the instance is the one that was asked for, and it gets the Events of
// both, each once.
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
	case found.Name == item.Name && r.BeginAgain && found.Status.Terminal():
		started.After = found.ExecutionID
	case !r.UseExisting || found.Name != item.Name:
		return Started{}, alreadyExists(&found)
	case len(item.Events) == 0:
		return Started{Instance: item.Instance, StartID: found.StartID}, nil
	case found.Status.Terminal():
		return Started{}, &EndedError{Instance: item.Instance, Status: Status(found.Status)}
	default:
		// The turn that takes the start raises its events for the instance.
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
		err = errors.Join(err, validName("event", r.Events[i].Name))
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
	attributes := storedAttributes(r.SearchAttributes).With(nil)
	if err := attributes.Check(); err != nil {
		return wire.Item{}, err
	}
	if r.after > 0 {
		r.NotBefore = c.cfg.Clock.Now().Add(r.after)
	}
	begins, err := laterMS("Start", r.NotBefore)
	if err != nil {
		return wire.Item{}, err
	}
	if err := limited(r); err != nil {
		return wire.Item{}, err
	}
	return wire.Item{
		Kind: wire.StartOrchestration, LimitKey: r.LimitKey, Limit: r.Limit, Instance: r.Instance, ID: r.DeduplicationID, OnConflict: r.onConflict(), NotBeforeMS: begins,
		Name: r.Name, OrchVersion: r.Version, Input: r.Input, Events: r.Events, SearchAttributes: attributes, Headers: r.Headers,
	}, nil
}

// limited returns what cannot be about the limit of a start.
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

// onConflict is what becomes of the start if its id is taken.
func (r *StartRequest) onConflict() wire.Conflict {
	switch {
	case r.UseExisting && r.BeginAgain:
		return wire.ConflictUseOrBeginAgain
	case r.UseExisting:
		return wire.ConflictUseExisting
	case r.BeginAgain:
		return wire.ConflictBeginAgain
	}
	return wire.ConflictRefuse
}

func alreadyExists(r *store.Record) *AlreadyExistsError {
	return &AlreadyExistsError{Instance: r.Instance, StartID: r.StartID, Name: r.Name, Status: Status(r.Status)}
}

// Start asks the client for a new instance of the orchestration; see
// [Client.Start], which has the errors.
//
//	run, err := client.Start(ctx, c, Fulfil, order, client.WithInstanceID("order-17"))
//	result, err := run.Wait(ctx)
//
// What the declaration was given with [turnstile.Version],
// [turnstile.InstanceID], [turnstile.UseExisting] and [turnstile.Limit] holds here too; the options
// of the start go before it.
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
	return &Run[Out]{client: c, name: o.Name(), Instance: started.Instance, StartID: started.StartID, After: started.After}, nil
}
