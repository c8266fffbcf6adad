package turnstiletest

import (
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/queue"
)

// Option is an option of New, Drill and Replay.
type Option func(*options)

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
	// twice delivers every message a second time; warm keeps instances in memory
	// between their turns. warmth says which of both the test has asked for, if it
	// has.
	twice, warm, warmth bool
	// processes that run orchestrations, and how many messages they take together.
	processes, batch int
	// together says which instances share a batch; nil for all.
	together func(instance string) string
	// killBefore and killBehind choose the calls at which a process dies; nil for
	// none.
	killBefore, killBehind func(Call) bool
	// maxRuns and outcomeOnly are for Drill.
	maxRuns     int
	outcomeOnly bool
	// codecs seal what is stored and sent; nil for plain payloads.
	codecs *codec.Set
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
	}
}

// Epoch lets virtual time begin at start; default 2030-01-01 00:00 UTC.
func Epoch(start time.Time) Option {
	return func(o *options) { o.start = start }
}

// Shuffled lets what could happen at the same time happen in another order:
// which of several activities runs and completes first, and how many messages
// one turn takes together. The same seed gives the same order.
//
//	for seed := range uint64(50) {
//		env := turnstiletest.New(t, app, turnstiletest.Shuffled(seed))
func Shuffled(seed uint64) Option {
	return func(o *options) { o.shuffled, o.seed = true, seed }
}

// Cold says whether each turn is replayed from what is stored, as one is in
// production that another process takes up. It is the default of New: code that
// counts on a variable that it has captured, on a map's order or on the time of
// day does something else the second time, and the instance is stuck with the
// place. An instance that has ended is replayed once more, for its last turn.
//
// With Cold(false) instances stay in memory between their turns, as they mostly
// do in production: a long history takes less time. Without the option a Drill
// does both.
func Cold(cold bool) Option {
	return func(o *options) { o.warm, o.warmth = !cold, true }
}

// AllowStuck lets instances be stuck: the test is about that. Wait for a stuck
// instance fails all the same; Run returns when nothing but stuck instances
// could go on, and Describe tells the problem.
func AllowStuck() Option {
	return func(o *options) { o.allowStuck = true }
}

// MaxBatches is how many batches of messages one Run, Wait, Advance or WaitFor
// may handle before it is taken for one without an end; default 100,000.
func MaxBatches(n int) Option {
	return func(o *options) { o.maxBatches = n }
}

// Settings of the host; default host.DefaultSettings. Parallelism,
// Dispatch.Parallelism and Turn.BlockLimit are the kit's own, and without
// Cold(false) so is Cache.Instances.
func Settings(s host.Settings) Option {
	return func(o *options) { o.settings = s }
}

// Codecs seal the payloads that an Env stores and sends, and open those that it
// reads, as in the deployed application. Orchestrations, activities, mocks and
// the test itself see plain values; Run.Stored and Run.Export show what is
// stored. Env.Deploy changes them. Default: everything is plain.
//
// Replay opens with them what was exported sealed.
func Codecs(set *codec.Set) Option {
	return func(o *options) { o.codecs = set }
}

// Logger gets what the host logs, and what orchestrations log. Default: nobody
// does.
func Logger(logger *slog.Logger) Option {
	return func(o *options) { o.logger = logger }
}

func (o *options) log() *slog.Logger {
	if o.logger != nil {
		return o.logger
	}
	return slog.New(slog.DiscardHandler)
}
