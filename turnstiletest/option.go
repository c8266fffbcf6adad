package turnstiletest

import (
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// Option is an option of [New], [CrashTest] and [Replay].
type Option interface{ apply(*options) }

type option func(*options)

func (f option) apply(o *options) { f(o) }

type options struct {
	start      time.Time
	settings   host.Settings
	logger     *slog.Logger
	shuffled   bool
	seed       uint64
	allowStuck bool
	maxBatches int
	// stall is how long, in real time, code may run before the package checks it.
	stall time.Duration
	// now returns the real time.
	now func() time.Time
	// twice delivers every message a second time. warm keeps instances in memory between their
	// turns.
	twice, warm bool
	// processes is the number of processes that run orchestrations, batch the number of messages
	// that they take together.
	processes, batch int
	// together returns the batch key of an instance; nil if all instances share batches.
	together func(instance string) string
	// crashBefore and crashAfter choose the calls at which a process dies; nil for
	// none.
	crashBefore, crashAfter func(Call) bool
	// maxRuns and outcomeOnly are options of CrashTest.
	maxRuns     int
	outcomeOnly bool
	// codecs encode stored and sent payloads; nil if they are not encoded.
	codecs *codec.Set
	// queues are the activity queues that are served; nil for all.
	queues []string
}

// maxBatch is how many messages the queue returns at once.
const maxBatch = queue.MaxReceive

func defaults() options {
	return options{
		start:      time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
		maxBatches: 100_000,
		maxRuns:    1000,
		processes:  1,
		batch:      maxBatch,
		stall:      5 * time.Second,
		now:        time.Now,
	}
}

// WithStartTime sets the virtual time at which the environment starts; default 2030-01-01 00:00
// UTC.
func WithStartTime(start time.Time) Option {
	return option(func(o *options) { o.start = start })
}

// WithRandomOrder changes the order of operations that could happen at the same time: which of
// several activities runs and completes first, and how many messages one turn handles together. The
// same seed gives the same order.
//
//	for seed := range uint64(50) {
//		env := turnstiletest.New(t, app, turnstiletest.WithRandomOrder(seed))
func WithRandomOrder(seed uint64) Option {
	return option(func(o *options) { o.shuffled, o.seed = true, seed })
}

// KeepWarm keeps instances in memory between their turns, as production mostly does, so a test of a
// long history takes less time. Without the option each turn replays the stored history, as another
// process would. Code that depends on a captured variable, on the order of a map or on the time of
// day then does something different the second time; the instance is stuck, and the problem names
// the line. An ended instance is replayed once more, to check its last turn. [CrashTest] also keeps
// instances in memory, except in one run, which replays each turn.
func KeepWarm() Option {
	return option(func(o *options) { o.warm = true })
}

// AllowStuck does not fail the test if an instance is stuck, for tests of that situation. Wait for
// a stuck instance still fails. Run returns when only stuck instances could continue, and Describe
// returns the problem.
func AllowStuck() Option {
	return option(func(o *options) { o.allowStuck = true })
}

// WithMaxBatches sets how many batches of messages one Run, Wait, Advance or RunUntil may handle
// before the test fails because it seems to run without end; default 100,000. The test also fails
// when its turns have read 100 times as many history events.
func WithMaxBatches(n int) Option {
	return option(func(o *options) { o.maxBatches = n })
}

// WithSettings sets the settings of the host; default [host.DefaultSettings]. The environment
// overrides Parallelism, Dispatch.Parallelism and Turn.BlockLimit, and without [KeepWarm] also
// Cache.Instances.
func WithSettings(s host.Settings) Option {
	return option(func(o *options) { o.settings = s })
}

// WithCodecs encodes the payloads that an [Env] stores and sends, and decodes those that it reads,
// as in the deployed application. Orchestrations, activities, mocks and the test itself see decoded
// values; [Run.Stored] and [Run.Export] show the stored values. [Env.Deploy] changes the codecs. By
// default payloads are not encoded.
//
// [Replay] uses the codecs to decode exported payloads.
func WithCodecs(set *codec.Set) Option {
	return option(func(o *options) { o.codecs = set })
}

// WithLogger sets the logger of the host and of orchestrations. By default nothing is logged.
func WithLogger(logger *slog.Logger) Option {
	return option(func(o *options) { o.logger = logger })
}

func (o *options) log() *slog.Logger {
	if o.logger != nil {
		return o.logger
	}
	return slog.New(slog.DiscardHandler)
}
