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
	// stall is how long, in real time, something may work before the kit looks
	// at it.
	stall time.Duration
	// now tells real time.
	now func() time.Time
	// twice delivers every message a second time; warm keeps instances in memory
	// between their turns.
	twice, warm bool
	// processes that run orchestrations, and how many messages they take together.
	processes, batch int
	// together says which instances share a batch; nil for all.
	together func(instance string) string
	// crashBefore and crashAfter choose the calls at which a process dies; nil for
	// none.
	crashBefore, crashAfter func(Call) bool
	// maxRuns and outcomeOnly are for CrashTest.
	maxRuns     int
	outcomeOnly bool
	// codecs seal what is stored and sent; nil for plain payloads.
	codecs *codec.Set
	// queues of activities that are served; nil for all.
	queues []string
}

// maxBatch is how many messages the queue gives at once.
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

// WithStartTime lets virtual time begin at start; default 2030-01-01 00:00 UTC.
func WithStartTime(start time.Time) Option {
	return option(func(o *options) { o.start = start })
}

// WithRandomOrder lets what could happen at the same time happen in another order:
// which of several activities runs and completes first, and how many messages
// one turn takes together. The same seed gives the same order.
//
//	for seed := range uint64(50) {
//		env := turnstiletest.New(t, app, turnstiletest.WithRandomOrder(seed))
func WithRandomOrder(seed uint64) Option {
	return option(func(o *options) { o.shuffled, o.seed = true, seed })
}

// KeepWarm keeps instances in memory between their turns, as production mostly
// does: a test of a long history takes less time. Without the option New replays
// each turn from what is stored, as another process would: code that depends on a
// captured variable, on the order of a map or on the time of day does something
// different the second time, and the instance is stuck and names the line. The kit
// replays an ended instance once more, to check its last turn. CrashTest keeps
// instances in memory too, and replays each turn in one of its runs.
func KeepWarm() Option {
	return option(func(o *options) { o.warm = true })
}

// AllowStuck lets instances be stuck: the test is about that. Wait for a stuck
// instance fails all the same; Run returns when nothing but stuck instances
// could go on, and Describe tells the problem.
func AllowStuck() Option {
	return option(func(o *options) { o.allowStuck = true })
}

// WithMaxBatches sets how many batches of messages one Run, Wait, Advance or RunUntil may handle
// before the test fails because it seems to have no end; default 100,000. The test also fails when
// their turns have read 100 times as many events of histories.
func WithMaxBatches(n int) Option {
	return option(func(o *options) { o.maxBatches = n })
}

// WithSettings gives settings to the host; default [host.DefaultSettings].
// Parallelism, Dispatch.Parallelism and Turn.BlockLimit are the kit's own, and
// without [KeepWarm] so is Cache.Instances.
func WithSettings(s host.Settings) Option {
	return option(func(o *options) { o.settings = s })
}

// WithCodecs seals the payloads that an Env stores and sends, and opens those that it
// reads, as in the deployed application. Orchestrations, activities, mocks and
// the test itself see plain values; Run.Stored and Run.Export show what is
// stored. Env.Deploy changes them. Default: everything is plain.
//
// Replay opens with them what was exported sealed.
func WithCodecs(set *codec.Set) Option {
	return option(func(o *options) { o.codecs = set })
}

// WithLogger gives a logger to the host and to orchestrations. Default: nothing is
// logged.
func WithLogger(logger *slog.Logger) Option {
	return option(func(o *options) { o.logger = logger })
}

func (o *options) log() *slog.Logger {
	if o.logger != nil {
		return o.logger
	}
	return slog.New(slog.DiscardHandler)
}
