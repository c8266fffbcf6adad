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
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Config is what a [Client] works on. Queue is required.
type Config struct {
	// Store holds histories and instance records. A client only reads it. Nil
	// for a client that starts and raises events, and may read nothing: a start is not
	// told of an instance that exists, nor who completes an activity of one that
	// is done; what looks at instances returns [ErrNoStore].
	Store store.Store
	// Activities is what workers keep of running activities and of limits over instances. A
	// client only reads it, but for SetLimit and ResetLimit. Nil where that can't be looked at: ActivityState
	// and what is about limits return ErrNoActivities.
	Activities store.Activities
	// Queue is the orchestrator queue, a FIFO queue.
	Queue queue.Queue
	// Codecs seal what is sent and open what is read; nil for plain payloads.
	// They have to be those of the two functions.
	Codecs *codec.Set
	// App is the application that the stack runs ([turnstile.App]): what [Client.CheckRaise]
	// holds untyped data against, and what [Client.Redrive] replays before it sends anything.
	// Nil where there is none.
	App *turnstile.App
	// Random makes ids; default [rand.Reader].
	Random io.Reader
	// Clock paces waiting; default the wall clock.
	Clock clock.Clock
	// PollInterval is the first pause between two looks at an instance that is
	// waited for; each pause is half as long again as the one before, up to
	// MaxPollInterval. Defaults: 100 ms and 5 s.
	PollInterval, MaxPollInterval time.Duration
	// Changed returns a channel that is closed at the next change of an instance's
	// record, of any instance's for an empty id, if not before; waiting then needs
	// no polling. Nil where nobody knows.
	Changed func(instance string) <-chan struct{}
	// Queued returns the instances that have an attempt in an activity queue, each once, and
	// whether there is a queue of this name ([ListQuery.Queue]). Nil where nobody knows.
	Queued func(queue string) (instances []string, known bool)
}

// Client starts instances, speaks to them and looks at them: from a service, a
// command line, a test. It works the same on memory and on AWS. It is safe for
// concurrent use and needs no closing.
type Client struct {
	cfg   Config
	actor string
	// around are the interceptors, the first outermost; self is the same for all
	// clients that WithActor and WithInterceptors made of one.
	around []turnstile.Interceptor
	self   *Config
}

// New returns a client of parts that the program has made itself. Most programs do not
// call it: awslambda.NewClient returns the client of a deployed stack, and
// embedded.Runtime.Client that of its own process. The error names everything that is
// missing.
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
	return &Client{cfg: cfg, self: &cfg}, nil
}

// WithActor returns a client that acts on behalf of somebody: a user, a role, a
// service; 1 to 256 bytes of UTF-8, such as an ARN or the name of a login. The
// actor is recorded with what the client starts, raises, cancels and terminates,
// for audit. It proves nothing: whoever may send to the queue can name anybody.
//
// A name that cannot be used is a [*turnstile.InvalidArgumentError] of the calls that send.
func (c *Client) WithActor(actor string) *Client {
	other := *c
	other.actor = actor
	return &other
}

// WithApp returns a client that knows the application of the stack, as Config.App, for a
// client that awslambda.NewClient has made.
func (c *Client) WithApp(app *turnstile.App) *Client {
	other := *c
	other.cfg.App = app
	return &other
}

// WithInterceptors returns a client with these interceptors around each call that sends
// something, inside of those that c has already; see [turnstile.Interceptor]. The
// first is the outermost. One without Client is left out.
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

// Codecs are those that open what the client reads; nil for none.
func (c *Client) Codecs() *codec.Set { return c.cfg.Codecs }

// App is the application of which the client knows what it has; nil if none was given.
func (c *Client) App() *turnstile.App { return c.cfg.App }

// Changed returns a channel that is closed at the next change of any instance
// record; nil where nobody tells of changes (Config.Changed), and one has to poll.
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
		body, err := c.cfg.Codecs.EncodeItem(*item)
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
		first++ // It is in.
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
