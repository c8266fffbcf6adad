package orchestrator

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/cache"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/host/random"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/host/sweep"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/watchdog"
	"github.com/turnstile-go/turnstile/store"
)

// Config configures an Orchestrator.
type Config struct {
	// Orchestrations are the orchestrations that this build can run. Required.
	Orchestrations *engine.Registry
	// Inline activities; nil for none.
	Inline *activities.Registry
	// Services that the process shares with others. All are required unless their comment says
	// otherwise.
	Services Services
	// Codecs encode and decode payloads; nil for none. They encode payloads for the store and the
	// queues; orchestration code and Observer get decoded payloads.
	Codecs *codec.Set
	// Keys of the tokens that completions carry. Required; all processes of a stack need the same
	// keys.
	Keys *keyring.Ring
	// Senders restricts who may send which messages; its zero value accepts every message.
	Senders platform.Senders
	// Settings; the zero value is DefaultSettings.
	Settings host.Settings
	// Environment of the process; its zero value is usable.
	platform.Environment
	// Build names the running build. A process with a different name is a different build, which
	// tries this build's stuck instances at once. Empty if processes have no builds.
	Build string
	// SweepAt is called with the time at which a problem that this process has set or read is due,
	// and with the time at which an ended instance must be purged. At that time the caller sends a
	// wire.Sweep to the orchestrator queue. SweepAt must not block. It is nil if a schedule sends
	// sweeps.
	SweepAt func(at time.Time, ended bool)
	// Propagator of trace context; nil for none.
	Propagator host.Propagator
}

// Services are the services that the processes of a stack share.
type Services struct {
	// Store has histories and records, Stops the requests to stop activities. Required.
	Store store.Store
	Stops store.Activities
	// Queues; all are required.
	Queues platform.Queues
	// Archive receives histories before retention purges or prunes them; nil for none.
	Archive store.Archive
	// Publisher of events about instances; nil without a subscriber.
	Publisher publishing.Publisher
	// Timer for long waits. If it is nil, long waits use the delay queue repeatedly.
	Timer timer.Timer
}

// Orchestrator handles the messages of orchestrations. Its methods may be
// called from several goroutines at once.
type Orchestrator struct {
	receiver inbox.Receiver
	turns    maker
	Sweeper  sweep.Sweeper
	// together runs groups concurrently.
	together func(n int, f func())
}

// New returns an orchestrator. The error lists everything that is missing or invalid.
func New(cfg Config) (*Orchestrator, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	d := &inbox.Settler{Queues: cfg.Services.Queues, Edge: edge.New(cfg.Codecs, cfg.Limits), Clock: cfg.Clock, Observer: cfg.Observer, Logger: cfg.Logger, Keys: cfg.Keys, Settings: &cfg.Settings}
	w := sweep.Watch{Build: cfg.Build, SweepAt: cfg.SweepAt, Kept: sweep.Kept{Default: cfg.Settings.Purge.Retention, Named: cfg.Orchestrations.Retained()}}
	r := random.New(cfg.Random)
	var bus *publishing.Bus
	if to := cfg.Services.Publisher; to != nil {
		bus = &publishing.Bus{To: to, Clock: cfg.Clock, Observer: cfg.Observer}
	}
	sender := &dispatch.Sender{
		Composer: dispatch.Composer{Edge: d.Edge, Keys: cfg.Keys, Settings: &cfg.Settings.Dispatch, Loop: &cfg.Settings.Loop, Propagate: cfg.Propagator},
		To:       dispatch.Targets{Queues: cfg.Services.Queues, Answers: cfg.Services.Store, Stops: cfg.Services.Stops, Timer: cfg.Services.Timer, Bus: bus},
		Clock:    cfg.Clock, Random: r, Together: cfg.Together, Logger: cfg.Logger, Observer: cfg.Observer,
	}
	terms := deciding.Terms{Settings: &cfg.Settings, Orchestrations: cfg.Orchestrations, Build: cfg.Build, Publishes: cfg.Services.Publisher != nil}
	o := &Orchestrator{
		receiver: inbox.Receiver{Settler: d, Senders: cfg.Senders, Scheduled: cfg.Services.Timer != nil, Bus: bus},
		turns: maker{services{settler: d, sender: sender, watch: w, random: r, spawn: cfg.Go, id: cfg.RequestID,
			terms: terms,
			tables: tables{Store: cfg.Services.Store, Stops: cfg.Services.Stops, codecs: cfg.Codecs,
				source: &reading.Source{Store: cfg.Services.Store, Codecs: cfg.Codecs, Clock: cfg.Clock, Observer: cfg.Observer, Logger: cfg.Logger}},
			code:  code{inline: cfg.Inline},
			cache: cache.New(d.Settings.Cache, cfg.Clock, cfg.Observer)}},
		Sweeper:  sweep.Sweeper{Keeper: sweep.Keeper{Settler: d, Store: cfg.Services.Store, Archive: cfg.Services.Archive, Keeps: terms.Keeps}, Sender: sender, Watch: w, Together: cfg.Together},
		together: cfg.Together,
	}
	o.turns.code.options = engine.Options{
		MaxOperations: cfg.Settings.Limits.Operations, MaxCoroutines: cfg.Settings.Limits.Coroutines,
		FailWhenStuck: cfg.Settings.Turn.FailWhenStuck, LogHandler: cfg.Logger.Handler(),
	}
	if cfg.Settings.Turn.BlockLimit > 0 {
		o.turns.code.options.OnBlocked = o.turns.onBlocked
		o.turns.code.options.Guard = &watchdog.Guard{Limit: cfg.Settings.Turn.BlockLimit, Clock: cfg.Clock, Start: cfg.Go}
	}
	return o, nil
}

// complete sets the defaults.
func (cfg *Config) complete() error {
	var errs []error
	require := func(missing bool, what string) {
		if missing {
			errs = append(errs, errors.New("host: orchestrator needs "+what))
		}
	}
	require(cfg.Orchestrations == nil, "a registry of orchestrations")
	require(cfg.Services.Store == nil, "a store")
	require(cfg.Services.Stops == nil, "a store of requests to stop")
	require(cfg.Keys == nil, "a keyring")
	q := &cfg.Services.Queues
	require(q.Orchestrator == nil, "the orchestrator queue")
	require(q.Delay == nil, "the delay queue")
	require(q.Activity == nil, "the activity queue")
	require(q.ActivityDead == nil, "the activity queue's dead-letter queue")
	require(q.DeadFIFO == nil, "the FIFO dead-letter queue")
	require(q.DeadStandard == nil, "the standard dead-letter queue")
	cfg.Environment.Complete()
	sharing.Queues(&q.Orchestrator, &q.Delay, &q.Activity, &q.ActivityDead, &q.DeadFIFO, &q.DeadStandard)
	q.Named = sharing.Named(q.Named)
	return errors.Join(append(errs, cfg.Settings.Complete())...)
}

// Handle handles a batch in turns and returns the ids of the messages that are not done, to be
// reported as batch item failures; never nil. All others may be deleted. Messages of one batch may
// come from several sources.
//
// Messages that another process may receive before the invocation ends are among the failed, and
// are not processed.
//
// ctx carries the deadline of the invocation, by Clock. When too little time is left, no further
// turn is started, and the messages that were not handled are among the failed.
func (o *Orchestrator) Handle(ctx context.Context, batch []platform.Delivery) (failed []string) {
	ctx = sharing.Start(ctx, o.receiver.Clock, o.receiver.Settings.SendWindow)
	batch, lost := o.receiver.Hold(ctx, batch)
	return append(o.handle(ctx, batch), lost...)
}

func (o *Orchestrator) handle(ctx context.Context, batch []platform.Delivery) (failed []string) {
	messages := o.receiver.Open(ctx, batch)
	if o.receiver.KeysReady(ctx, messages) {
		o.takeTurns(ctx, messages)
	}
	// The turns come first, so that no due message waits for the event bus.
	o.receiver.Publish(ctx, messages)
	return o.receiver.Close(ctx, messages)
}

func (o *Orchestrator) takeTurns(ctx context.Context, messages []*inbox.Message) {
	settings := o.receiver.Settings
	o.Sweeper.AskFirst(ctx, messages)
	groups := deciding.GroupsOf(messages, settings.SuspectReceives)
	limit := settings.Parallelism
	if slices.ContainsFunc(groups, func(g *deciding.Part) bool { return g.Suspect != "" }) {
		// Turns run one after the other, so that a process that dies leaves only the mark of the turn
		// that killed it.
		limit = 1
	}
	turns := make([][]*inbox.Message, len(groups))
	for i, g := range groups {
		turns[i] = g.Batch()
	}
	r := inbox.NewRelease(ctx, o.receiver.Settler, messages, turns)
	defer r.End()
	sharing.SideBySide(ctx, limit, len(groups), o.together, func(i int) {
		if g := groups[i]; len(g.Messages) > 0 {
			o.turns.runGroup(ctx, &g.Group)
		}
		o.Sweeper.Delete(ctx, groups[i].Deletions)
		r.Done(ctx, turns[i])
	})
	o.Sweeper.Take(ctx, messages)
}

// Close unwinds the instances in the cache: deferred functions of their code run. The orchestrator
// stays usable.
func (o *Orchestrator) Close() { o.turns.cache.Clear() }
