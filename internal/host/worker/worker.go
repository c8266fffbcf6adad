// Package worker runs attempts of activities: those that the activity queue
// brings, each on a goroutine of its own.
//
// One message is one attempt, and goes this way:
//
//	received → prepared → run → answered → acknowledged
//
// Prepared is what may begin at all: it is due, nobody has asked the activity to
// stop, and it is not under way. Answered is what follows from the attempt:
// a result, a failure, the message of the next attempt. That is sent before the
// message is acknowledged, so that a crash at any point brings it back; the ids of
// what is sent derive from the activity, so that sending it twice is harmless.
package worker

import (
	"context"
	"errors"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/random"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/store"
)

// Config is what a Worker works with.
type Config struct {
	// Activities that this build can run. Required.
	Activities *activities.Registry
	// Stops is what workers keep of activities: requests to stop, heartbeats,
	// claims. Required.
	Stops store.Activities
	// Queues: Orchestrator, Activity and ActivityDead are required.
	Queues platform.Queues
	// Queue is the name of Queues.Activity; empty where it has none. AnyQueue makes the
	// attempts of all names.
	Queue string
	// Codecs open inputs and seal results; nil for plain ones. The code of
	// activities has plain payloads.
	Codecs *codec.Set
	// Settings; the zero value is [host.DefaultSettings].
	Settings host.Settings
	// Environment; its zero value will do.
	platform.Environment
}

// AnyQueue is the name of a queue that attempts of all names come through.
const AnyQueue = "*"

// Worker runs attempts of activities. Its methods may be called from several
// goroutines at once.
type Worker struct {
	Config
	edge    edge.Edge
	random  *random.Source
	running running
	lines   lines
}

// New returns a worker; the error names everything that is missing or can't be.
func New(cfg Config) (*Worker, error) {
	var errs []error
	require := func(missing bool, what string) {
		if missing {
			errs = append(errs, errors.New("worker: it needs "+what))
		}
	}
	require(cfg.Activities == nil, "a registry of activities")
	require(cfg.Stops == nil, "a store of requests to stop")
	require(cfg.Queues.Orchestrator == nil, "the orchestrator queue")
	require(cfg.Queues.Activity == nil, "the activity queue")
	require(cfg.Queues.ActivityDead == nil, "the activity queue's dead-letter queue")
	errs = append(errs, cfg.Settings.Complete())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	cfg.Environment.Complete()
	sharing.Queues(&cfg.Queues.Orchestrator, &cfg.Queues.Activity, &cfg.Queues.ActivityDead)
	cfg.Queues.Named = sharing.Named(cfg.Queues.Named)
	return &Worker{Config: cfg, edge: edge.New(cfg.Codecs, cfg.Limits), random: random.New(cfg.Random)}, nil
}

// Handle runs the attempts of a batch side by side and returns the ids of the
// messages that are not done, to be reported as batch item failures; never
// nil. All others may be deleted: a result, or the message of the next
// attempt, was sent before. A message that is done is deleted here where it
// would become visible again while the rest of its batch is worked on.
//
// ctx carries the deadline of the invocation, by Clock; the contexts of the
// attempts end in time before it.
func (w *Worker) Handle(ctx context.Context, deliveries []platform.Delivery) (failed []string) {
	ctx = sharing.Begin(ctx, w.Clock, w.Settings.SendWindow)
	b := w.receive(ctx, deliveries)
	defer b.end()
	sharing.SideBySide(ctx, w.Settings.Parallelism, len(b.tasks), w.Together, func(i int) {
		b.handle(ctx, &b.tasks[i], len(b.tasks) == 1)
	})
	b.handleAlone(ctx)
	return b.handBack(ctx)
}
