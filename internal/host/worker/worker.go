// Package worker runs the attempts of activities that the activity queue delivers, each on its own goroutine.
//
// One message is one attempt, and passes through these steps:
//
//	received → prepared → run → answered → acknowledged
//
// An attempt is prepared for its start if it is due, if the activity was not asked to stop, and if
// the attempt is not already running. The answer to an attempt is its result, its failure or the
// message of the next attempt. The worker sends the answer before it acknowledges the message, so
// that after a crash at any point the message is delivered again. The ids of the messages that it
// sends derive from the activity, so that sending a message twice is harmless.
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

// Config is the configuration of a Worker.
type Config struct {
	// Activities are the activities that this build can run. Required.
	Activities *activities.Registry
	// Stops stores requests to stop, heartbeats and claims of activities. Required.
	Stops store.Activities
	// Queues must have Orchestrator, Activity and ActivityDead.
	Queues platform.Queues
	// Queue is the name of Queues.Activity; empty if it has none. A worker with AnyQueue runs the attempts of all
	// queues.
	Queue string
	// Codecs decode inputs and encode results; nil for none. The code of activities always sees decoded payloads.
	Codecs *codec.Set
	// Settings; the zero value is [host.DefaultSettings].
	Settings host.Settings
	// Environment; its zero value is usable.
	platform.Environment
}

// AnyQueue is the name of a queue that carries attempts for all queue names.
const AnyQueue = "*"

// Worker runs attempts of activities. Its methods may be called by several goroutines at once.
type Worker struct {
	Config
	edge    edge.Edge
	random  *random.Source
	running running
	limits  limiter
}

// New returns a worker. The error lists everything that is missing or invalid.
func New(cfg Config) (*Worker, error) {
	var errs []error
	require := func(missing bool, what string) {
		if missing {
			errs = append(errs, errors.New("worker: missing "+what))
		}
	}
	require(cfg.Activities == nil, "a registry of activities (Activities)")
	require(cfg.Stops == nil, "a store of requests to stop (Stops)")
	require(cfg.Queues.Orchestrator == nil, "the orchestrator queue (Queues.Orchestrator)")
	require(cfg.Queues.Activity == nil, "the activity queue (Queues.Activity)")
	require(cfg.Queues.ActivityDead == nil, "the activity queue's dead-letter queue (Queues.ActivityDead)")
	errs = append(errs, cfg.Settings.Complete())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	cfg.Environment.Complete()
	sharing.Queues(&cfg.Queues.Orchestrator, &cfg.Queues.Activity, &cfg.Queues.ActivityDead)
	cfg.Queues.Named = sharing.Named(cfg.Queues.Named)
	w := &Worker{Config: cfg, edge: edge.New(cfg.Codecs, cfg.Limits), random: random.New(cfg.Random)}
	w.limits = limiter{Config: &w.Config, random: w.random}
	return w, nil
}

// Handle runs the attempts of a batch concurrently and returns the ids of the messages that are not done, to be reported
// as batch item failures; never nil. All other messages may be deleted, because the result or the message of the next
// attempt was sent. Handle itself deletes a finished message that would become visible again before the rest of its
// batch is finished.
//
// ctx carries the deadline of the invocation, by Clock; the contexts of the attempts end before it.
func (w *Worker) Handle(ctx context.Context, deliveries []platform.Delivery) (failed []string) {
	ctx = sharing.Start(ctx, w.Clock, w.Settings.SendWindow)
	b := w.receive(ctx, deliveries)
	defer b.end()
	sharing.SideBySide(ctx, w.Settings.Parallelism, len(b.tasks), w.Together, func(i int) {
		b.handle(ctx, &b.tasks[i], len(b.tasks) == 1)
	})
	b.handleAlone(ctx)
	return b.handBack(ctx)
}
