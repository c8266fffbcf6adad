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
	// beside makes what runs beside the runtime; nil for nothing.
	beside func(*Runtime) (beside, error)
}

// WithDatabase keeps everything in a database, so that it outlives the process: see
// package sqlite. Default: in memory. Run gives the database back when it returns,
// and another runtime may take it then; the program that opened it closes it.
func WithDatabase(db Database) Option {
	return option(func(o *options) { o.database = db })
}

// WithArchive gives what is to be purged by its retention (turnstile.Retention) to an
// archive, such as [ArchiveFolder], before it is purged. Default: none.
func WithArchive(a store.Archive) Option {
	return option(func(o *options) { o.archive = a })
}

// WithInstanceEvents calls f for each event about an instance: its start, its end, that it is
// stuck, and the other kinds of [host.InstanceEvent]. It is called at least once for each,
// in turn or not: receivers order events, and drop repeats, by their numbers. One for which f
// returns an error or panics, or that takes longer than two seconds, is tried again after five
// seconds, then after growing delays of at most fifteen minutes, for fourteen days; then it is
// a dead letter. f is called while the instance's turn is made, from several goroutines, and
// should return when ctx ends. Default: none.
func WithInstanceEvents(f func(ctx context.Context, e host.InstanceEvent) error) Option {
	return option(func(o *options) { o.publisher = subscriber(f) })
}

// WithVirtualTime lets time begin at start and stand still while anything runs;
// when nothing does, it jumps to the next timer. So waits take no time, so time
// calls from outside with AfterFunc; otherwise they come after the waits.
//
// An activity runs in real time, and virtual time waits for it. But if nothing
// begins or ends for ten seconds, time jumps all the same: so an attempt that
// waits for its timeout gets it, and code that blocks is found.
func WithVirtualTime(start time.Time) Option {
	return option(func(o *options) { o.virtual, o.start = true, start })
}

// WithObserver gives an observer, which is told of every committed turn with its
// dispatch, and of what is counted and timed. Default: none. An observer embeds
// [host.NoObserver] for the methods that it does not need.
func WithObserver(observer host.Observer) Option {
	return option(func(o *options) { o.observer = observer })
}

// WithPropagator gives what turns send the context of their traces. Default: none.
func WithPropagator(p host.Propagator) Option {
	return option(func(o *options) { o.propagator = p })
}

// OnDeadLetter calls f with every message that is moved to a final dead-letter
// queue, such as a message that is not a work item. It may be called from several
// goroutines.
func OnDeadLetter(f func(host.DeadLetter)) Option {
	return option(func(o *options) { o.dead = f })
}

// WithLogger gives a logger to the host and to orchestrations. Default: nothing is
// logged.
func WithLogger(logger *slog.Logger) Option {
	return option(func(o *options) { o.logger = logger })
}

// WithSettings gives settings to the host; default [host.DefaultSettings].
func WithSettings(s host.Settings) Option {
	return option(func(o *options) { o.settings = s })
}

// WithCodecs seals payloads on their way into the store and the queues, and opens
// them on their way out. Default: payloads are plain.
func WithCodecs(set *codec.Set) Option {
	return option(func(o *options) { o.codecs = set })
}

// WithLiveTrace writes to out, for people at a terminal, what happens as it happens: each
// turn with the messages that it handled and the operations that the code started, stuck
// instances, lines of the log, dead letters. A terminal gets colours, unless NO_COLOR is
// set (https://no-color.org). The text may change from one release to the next. The option
// replaces [WithObserver], [OnDeadLetter] and [WithLogger].
func WithLiveTrace(out io.Writer) Option {
	trace := livetrace.New(out)
	return option(func(o *options) {
		o.observer, o.logger = trace, slog.New(trace.LogHandler(slog.LevelInfo))
		o.dead = func(m host.DeadLetter) { trace.DeadLetter(m.Body, m.Reason) }
	})
}

// WithWorkers says how many activities run at once; default 10. As many batches of
// messages are handled at once.
func WithWorkers(n int) Option {
	return option(func(o *options) { o.workers = n })
}

// WithQueue has workers of its own, so many, make the attempts of a queue that has a name
// (turnstile.Queue). A queue that an activity of the application names when it is declared
// is served without the option, with as many workers as [WithWorkers] says; one that only
// calls name needs it.
func WithQueue(name string, workers int) Option {
	return option(func(o *options) {
		if o.queues == nil {
			o.queues = map[string]int{}
		}
		o.queues[name] = workers
	})
}

// WithShutdownTimeout says how long, in real time, a batch of messages and an
// activity may still work after the context of Run has ended; their own context
// ends then. Default 5 seconds.
func WithShutdownTimeout(d time.Duration) Option {
	return option(func(o *options) { o.grace = d })
}
