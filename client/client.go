package client

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/turncache"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Config configures a [Client]. Queue is required.
type Config struct {
	// Store holds histories and instance records; a client only reads it. Nil is for a client without
	// permission to read: it can start instances and raise events. Without a Store, starts do not
	// report that the instance already exists, completions do not report that the activity is already
	// complete, and calls that read instances return [ErrNoStore].
	Store store.Store
	// Activities is the workers' record of running activities and limits. A client only reads it,
	// except in SetLimit, ResetLimit, SetRate and ResetRate. If it is nil, ActivityState and the calls
	// about limits of activities return ErrNoActivities.
	Activities store.Activities
	// Queue is the orchestrator queue, a FIFO queue.
	Queue queue.Queue
	// Codecs encode what the client sends and decode what it reads; nil for plain JSON. They must
	// be the codecs that the orchestrator and the worker use.
	Codecs *codec.Set
	// App is the application that the stack runs ([turnstile.App]). [Client.ValidateRaise] checks
	// untyped data against it, and [Client.Redrive] replays its code before sending anything. Nil skips
	// both.
	App *turnstile.App
	// Queries answers queries. If it is nil, the client answers them itself with the code of App.
	Queries Querier
	// Random is the source of ids; default [rand.Reader].
	Random io.Reader
	// Clock times the waits; default the wall clock.
	Clock clock.Clock
	// PollInterval is the first pause between two reads of an instance that a call waits for. Each
	// pause is 1.5 times as long as the one before, up to MaxPollInterval. Defaults: 100 ms and 5 s.
	PollInterval, MaxPollInterval time.Duration
	// Changed returns a channel that is closed no later than the next change of an instance's record,
	// or of any instance's record if the id is empty; waiting then needs no polling. Nil if changes are
	// not reported.
	Changed func(instance string) <-chan struct{}
	// Queued returns the instances that have an attempt in an activity queue, each once, and whether a
	// queue of this name exists ([ListQuery.Queue]). Nil if the queues cannot be listed.
	Queued func(queue string) (instances []string, known bool)
}

// Client starts, controls and reads instances. It works the same in memory, on SQLite and on AWS. It is
// safe for concurrent use and needs no closing.
type Client struct {
	cfg   Config
	actor string
	// around holds the interceptors, outermost first. self is the same for all clients that WithActor
	// and WithInterceptors derived from one client.
	around []turnstile.Interceptor
	self   *Config
	// asked has the decoded histories of instances that were queried.
	asked *turncache.Cache
}

// New returns a client with the given configuration. Most programs do not call it: awslambda.NewClient
// returns the client of a deployed stack, and embedded.Runtime.Client the client of its own process.
// The error lists everything that is missing.
func New(cfg Config) (*Client, error) {
	var errs []error
	if cfg.Store == nil {
		cfg.Store = noStore{}
	}
	switch {
	case cfg.Queue == nil:
		errs = append(errs, errors.New("turnstile: client: Queue is required: the orchestrator queue"))
	case !cfg.Queue.FIFO():
		errs = append(errs, errors.New("turnstile: client: Queue must be the orchestrator queue, which is FIFO; this one is a standard queue"))
	}
	if cfg.Random == nil {
		cfg.Random = rand.Reader
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.Wall{}
	}
	if cfg.PollInterval <= 0 {
		cfg.PollInterval = 100 * time.Millisecond
	}
	if cfg.MaxPollInterval <= 0 {
		cfg.MaxPollInterval = 5 * time.Second
	}
	cfg.MaxPollInterval = max(cfg.MaxPollInterval, cfg.PollInterval)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Client{cfg: cfg, self: &cfg, asked: turncache.New(askedBytes)}, nil
}

// WithActor returns a client that acts on behalf of a user, a role or a service, such as an ARN or a
// login name: 1 to 256 bytes of UTF-8. For auditing, the actor is recorded with everything that the
// client starts, raises, cancels and terminates. The actor is not verified: any program that may send
// to the queue can set any actor.
//
// For an invalid actor, calls that send a message return a [*turnstile.InvalidArgumentError].
func (c *Client) WithActor(actor string) *Client {
	other := *c
	other.actor = actor
	return &other
}

// WithApp returns a client that knows the application of the stack, like Config.App, for clients that
// awslambda.NewClient made.
func (c *Client) WithApp(app *turnstile.App) *Client {
	other := *c
	other.cfg.App = app
	return &other
}

// WithInterceptors returns a client that runs these interceptors around each call that sends a message or asks a query,
// inside any that c already has; see [turnstile.Interceptor]. The first is the outermost. An
// interceptor without Client is ignored.
//
//	c = c.WithInterceptors(audit, tracing)
func (c *Client) WithInterceptors(interceptors ...turnstile.Interceptor) *Client {
	other := *c
	other.around = slices.Clip(other.around)
	for _, i := range interceptors {
		if i.Client != nil {
			other.around = append(other.around, i)
		}
	}
	return &other
}

// Codecs returns the codecs that decode what the client reads; nil for none.
func (c *Client) Codecs() *codec.Set { return c.cfg.Codecs }

// App returns the application that the client was given; nil if none was given.
func (c *Client) App() *turnstile.App { return c.cfg.App }

// Changed returns a channel that is closed no later than the next change of any instance record. It
// returns nil if changes are not reported (Config.Changed) and the caller has to poll.
func (c *Client) Changed() <-chan struct{} {
	if c.cfg.Changed == nil {
		return nil
	}
	return c.cfg.Changed("")
}

// send sends a work item to the instance's group of the orchestrator queue.
func (c *Client) send(ctx context.Context, item wire.Item) error { return c.sendAll(ctx, item) }

// sendAll sends items for one instance in this order.
func (c *Client) sendAll(ctx context.Context, items ...wire.Item) error {
	if err := validActor(c.actor); err != nil {
		return err
	}
	out := make([]queue.Outgoing, len(items))
	for i := range items {
		item := &items[i]
		item.Actor, item.SentMS = c.actor, c.cfg.Clock.Now().UnixMilli()
		body, err := c.cfg.Codecs.MarshalItem(*item)
		if err != nil {
			return err
		}
		out[i] = queue.Outgoing{Body: string(body), Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)}
	}
	err := c.cfg.Queue.Send(ctx, out...)
	if err == nil {
		return nil
	}
	first := 0
	for first < len(items)-1 && queue.ErrorOf(err, first) == nil {
		first++ // This item was sent.
	}
	return fmt.Errorf("turnstile: sending %s for instance %q: %w", items[first].Kind, items[first].Target(), err)
}

// newID returns 128 random bits in lower-case hex.
func (c *Client) newID() (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(c.cfg.Random, b[:]); err != nil {
		return "", fmt.Errorf("turnstile: making an id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
