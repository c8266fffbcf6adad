package embedded

import (
	"io"
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
)

// Option is an option of New.
type Option func(*options)

type options struct {
	virtual    bool
	start      time.Time
	observer   host.Observer
	propagator host.Propagator
	dead       func(DeadLetter)
	logger     *slog.Logger
	settings   host.Settings
	codecs     *codec.Set
	random     io.Reader
	workers    int
	grace      time.Duration
	stall      time.Duration
	pace       time.Duration
	database   Database
	// beside makes what runs beside the environment; nil for nothing.
	beside func(*Environment) (beside, error)
}

// Storage keeps everything in a database, so that it outlives the process: see
// package sqlite. Default: in memory. The environment that Run has ended has
// given it back, and another may take it; whoever opened it closes it.
func Storage(db Database) Option {
	return func(o *options) { o.database = db }
}

// VirtualTime lets time begin at start and stand still while anything runs;
// when nothing does, it jumps to the next timer. So waits take no time, and
// what is done meanwhile from outside has to be timed with AfterFunc, or it
// comes after them.
//
// An activity runs in real time, and virtual time waits for it. But if nothing
// begins or ends for ten seconds, time jumps all the same: so an attempt that
// waits for its timeout gets it, and code that blocks is found.
func VirtualTime(start time.Time) Option {
	return func(o *options) { o.virtual, o.start = true, start }
}

// Observe tells an observer of every committed turn with its dispatch, and of
// what is counted and timed. Embed host.NoObserver for what is not wanted.
func Observe(observer host.Observer) Option {
	return func(o *options) { o.observer = observer }
}

// Propagate gives what turns send the context of their traces.
func Propagate(p host.Propagator) Option {
	return func(o *options) { o.propagator = p }
}

// OnDeadLetter calls f with every message that is moved to a final dead-letter
// queue, such as one that is no work item. It may be called from several
// goroutines.
func OnDeadLetter(f func(DeadLetter)) Option {
	return func(o *options) { o.dead = f }
}

// Logger gets what the host logs, and what orchestrations log. Default: nobody
// does.
func Logger(logger *slog.Logger) Option {
	return func(o *options) { o.logger = logger }
}

// Settings of the host; default host.DefaultSettings.
func Settings(s host.Settings) Option {
	return func(o *options) { o.settings = s }
}

// Codecs seal payloads on their way into the store and the queues, and open
// them on their way out; default: they are plain.
func Codecs(set *codec.Set) Option {
	return func(o *options) { o.codecs = set }
}

// Random is where ids and secrets come from; default crypto/rand.Reader. It
// must be safe for concurrent use.
func Random(r io.Reader) Option {
	return func(o *options) { o.random = r }
}

// Workers is how many activities run at once; default 10. As many batches of
// messages are handled at once.
func Workers(n int) Option {
	return func(o *options) { o.workers = n }
}

// Grace is how long, in real time, what is being handled may go on once Run is
// to end, before its context is ended; default 5 seconds.
func Grace(d time.Duration) Option {
	return func(o *options) { o.grace = d }
}
