package embedded

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/livetrace"
	"github.com/turnstile-go/turnstile/store"
)

// Option is an option of [New].
type Option interface{ apply(*options) }

type option func(*options)

func (f option) apply(o *options) { f(o) }

type options struct {
	virtual    bool
	start      time.Time
	observer   host.Observer
	propagator host.Propagator
	dead       func(host.DeadLetter)
	logger     *slog.Logger
	settings   host.Settings
	codecs     *codec.Set
	workers    int
	queues     map[string]int
	grace      time.Duration
	stall      time.Duration
	pace       time.Duration
	database   Database
	archive    store.Archive
	publisher  publishing.Publisher
	// beside creates the server that runs next to the runtime; nil for none.
	beside func(*Runtime) (beside, error)
}

// WithDatabase keeps all state in a database, so that it outlives the process; see package sqlite.
// By default it is kept in memory. Run releases the database when it returns, so that another
// runtime can use it; the program that opened the database closes it.
func WithDatabase(db Database) Option {
	return option(func(o *options) { o.database = db })
}

// WithArchive sets the archive that receives histories before retention purges them
// (turnstile.Retention), such as [ArchiveFolder]. By default there is none.
func WithArchive(a store.Archive) Option {
	return option(func(o *options) { o.archive = a })
}

// WithInstanceEvents calls f for each event about an instance, for example when it starts, ends or
// becomes stuck; see [host.InstanceEvent]. f is called at least once for each event, possibly out
// of order; a receiver orders events and drops repeats by their numbers. If f returns an error,
// panics, or takes longer than two seconds, it is called again after five seconds, and then after
// growing delays of at most 15 minutes, for 14 days; after that the event becomes a dead letter. f
// is called during the instance's turn, from several goroutines, and should return when ctx ends.
// By default no function is called.
func WithInstanceEvents(f func(ctx context.Context, e host.InstanceEvent) error) Option {
	return option(func(o *options) { o.publisher = subscriber(f) })
}

// WithVirtualTime starts virtual time at start. Time does not pass while anything runs; when
// nothing does, it jumps to the next timer. So waits take no time. Use AfterFunc to time calls from
// outside; otherwise they arrive after the waits.
//
// An activity runs in real time, and virtual time waits for it. But if nothing starts or ends for
// ten seconds, time jumps anyway, so that an attempt that waits for its timeout times out, and code
// that blocks is detected.
func WithVirtualTime(start time.Time) Option {
	return option(func(o *options) { o.virtual, o.start = true, start })
}

// WithObserver sets an observer, which receives every committed turn with the actions that it
// caused, and all counters and durations. By default there is none. Embed [host.NoObserver] for the
// methods that the observer does not need.
func WithObserver(observer host.Observer) Option {
	return option(func(o *options) { o.observer = observer })
}

// WithPropagator sets the propagator, which adds trace context to the messages that turns send. By
// default there is none.
func WithPropagator(p host.Propagator) Option {
	return option(func(o *options) { o.propagator = p })
}

// OnDeadLetter calls f for every message that is moved to a final dead-letter queue, such as a
// message that is not a work item. It may be called from several goroutines.
func OnDeadLetter(f func(host.DeadLetter)) Option {
	return option(func(o *options) { o.dead = f })
}

// WithLogger sets the logger of the host and of orchestrations. By default nothing is logged.
func WithLogger(logger *slog.Logger) Option {
	return option(func(o *options) { o.logger = logger })
}

// WithSettings sets the settings of the host; default [host.DefaultSettings].
func WithSettings(s host.Settings) Option {
	return option(func(o *options) { o.settings = s })
}

// WithCodecs encodes payloads before they are stored or sent, and decodes them when they are read.
// By default payloads are not encoded.
func WithCodecs(set *codec.Set) Option {
	return option(func(o *options) { o.codecs = set })
}

// WithLiveTrace writes a live trace to out, for example to a terminal: each turn with the messages
// that it handled and the operations that the code started, stuck instances, log lines, and dead
// letters. A terminal gets colours, unless NO_COLOR is set (https://no-color.org). The text may
// change from one release to the next. The option replaces [WithObserver], [OnDeadLetter] and
// [WithLogger].
func WithLiveTrace(out io.Writer) Option {
	trace := livetrace.New(out)
	return option(func(o *options) {
		o.observer, o.logger = trace, slog.New(trace.LogHandler(slog.LevelInfo))
		o.dead = func(m host.DeadLetter) { trace.DeadLetter(m.Body, m.Reason) }
	})
}

// WithWorkers sets how many activities run at a time, and how many batches of messages are handled
// at a time; default 10.
func WithWorkers(n int) Option {
	return option(func(o *options) { o.workers = n })
}

// WithQueue sets the number of workers of a named activity queue (turnstile.Queue). Without the
// option, a queue that is named in the declaration of one of the App's activities has as many workers
// as [WithWorkers] sets. A queue that is only named in calls needs the option.
func WithQueue(name string, workers int) Option {
	return option(func(o *options) {
		if o.queues == nil {
			o.queues = map[string]int{}
		}
		o.queues[name] = workers
	})
}

// WithShutdownTimeout sets how long, in real time, a batch of messages and an activity may still
// run after the context of Run has ended. Then their own context ends. Default: 5 seconds.
func WithShutdownTimeout(d time.Duration) Option {
	return option(func(o *options) { o.grace = d })
}
