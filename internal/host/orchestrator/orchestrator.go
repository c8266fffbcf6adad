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
	"github.com/turnstile-go/turnstile/internal/host/watchdog"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/store"
)

// Config is what an Orchestrator works with.
type Config struct {
	// Orchestrations that this build can run. Required.
	Orchestrations *engine.Registry
	// Inline activities; nil for none.
	Inline *activities.Registry
	// Services that the process shares with others. All but the timer are required.
	Services Services
	// Codecs seal and open payloads; nil for plain ones. They seal what goes
	// into the store and the queues; code and Observer have plain payloads.
	Codecs *codec.Set
	// Keys of the tokens that completions bring back. Required; all processes of
	// a stack need the same.
	Keys *keyring.Ring
	// Senders are judged by it; its zero value lets every message in.
	Senders platform.Senders
	// Settings; the zero value is DefaultSettings.
	Settings host.Settings
	// Environment; its zero value will do.
	platform.Environment
	// Build names what runs here: another name is another build, which tries at
	// once what this one is stuck with. Empty where processes have no builds.
	Build string
	// SweepAt is told when a mark is due that this process has set or seen, and when
	// an instance that has ended is to be purged. At that time its owner sends a
	// wire.Sweep to the orchestrator queue. Nil where a schedule sends sweeps. It must
	// not block.
	SweepAt func(at time.Time, ended bool)
	// Propagator of the context of traces; nil for none.
	Propagator host.Propagator
}

// Services are those that the processes of a stack share.
type Services struct {
	// Store of histories and records, and Stops, the requests to stop
	// activities. Required.
	Store store.Store
	Stops store.Activities
	// Queues; all are required.
	Queues platform.Queues
	// Archive takes what is to be purged by its retention, or pruned; nil for none.
	Archive store.Archive
	// Publisher of events about instances; nil without a subscriber.
	Publisher publishing.Publisher
	// Timer for long waits. With nil they go round the delay queue.
	Timer timer.Timer
}

// Orchestrator handles the messages of orchestrations. Its methods may be
// called from several goroutines at once.
type Orchestrator struct {
	door    inbox.Door
	turns   maker
	Sweeper sweep.Sweeper
	// together runs groups side by side.
	together func(n int, f func())
}

// New returns an orchestrator; the error names everything that is missing or can't
// be.
func New(cfg Config) (*Orchestrator, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	d := &inbox.Desk{Queues: cfg.Services.Queues, Edge: edge.New(cfg.Codecs, cfg.Limits), Clock: cfg.Clock, Observer: cfg.Observer, Logger: cfg.Logger, Settings: &cfg.Settings}
	w := sweep.Watch{Build: cfg.Build, SweepAt: cfg.SweepAt, Kept: sweep.Kept{Default: cfg.Settings.Purge.Retention, Named: cfg.Orchestrations.Retained()}}
	r := random.New(cfg.Random)
	bus := publishing.Bus{To: cfg.Services.Publisher, Clock: cfg.Clock, Observer: cfg.Observer}
	sender := &dispatch.Sender{
		Composer: dispatch.Composer{Edge: d.Edge, Keys: cfg.Keys, Settings: &cfg.Settings.Dispatch, Loop: &cfg.Settings.Loop, Propagate: cfg.Propagator},
		To:       dispatch.Targets{Queues: cfg.Services.Queues, Stops: cfg.Services.Stops, Timer: cfg.Services.Timer, Bus: bus},
		Clock:    cfg.Clock, Random: r, Together: cfg.Together, Logger: cfg.Logger, Observer: cfg.Observer,
	}
	terms := deciding.Terms{Settings: &cfg.Settings, Orchestrations: cfg.Orchestrations, Keys: cfg.Keys, Build: cfg.Build, Sealed: cfg.Codecs != nil, Publishes: cfg.Services.Publisher != nil, Executions: cfg.Orchestrations.Executions()}
	o := &Orchestrator{
		door: inbox.Door{Desk: d, Keys: cfg.Keys, Senders: cfg.Senders, Scheduled: cfg.Services.Timer != nil, Bus: bus},
		turns: maker{desk: d, sender: sender, watch: w, random: r, spawn: cfg.Go, id: cfg.RequestID,
			terms: terms,
			tables: tables{Store: cfg.Services.Store, Stops: cfg.Services.Stops, codecs: cfg.Codecs,
				source: &reading.Source{Store: cfg.Services.Store, Codecs: cfg.Codecs, Clock: cfg.Clock, Observer: cfg.Observer, Logger: cfg.Logger}},
			code:  code{inline: cfg.Inline},
			cache: cache.New(d.Settings.Cache, cfg.Clock, cfg.Observer)},
		Sweeper:  sweep.Sweeper{Keeper: sweep.Keeper{Desk: d, Store: cfg.Services.Store, Archive: cfg.Services.Archive, Keeps: terms.Keeps}, Sender: sender, Watch: w, Together: cfg.Together},
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

// complete fills in the defaults.
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

// Handle takes a batch through its turns and returns the ids of the messages
// that are not done, to be reported as batch item failures; never nil. All
// others may be deleted. Messages of one batch may come from several sources.
//
// Messages that may become another's before the invocation ends are among the failed, and
// nothing is done about them.
//
// ctx carries the deadline of the invocation, by Clock. When too little time is
// left no further turn is begun, and what was not handled is among the failed.
func (o *Orchestrator) Handle(ctx context.Context, batch []platform.Delivery) (failed []string) {
	ctx = sharing.Begin(ctx, o.door.Clock, o.door.Settings.SendWindow)
	batch, lost := o.door.Hold(ctx, batch)
	return append(o.handle(ctx, batch), lost...)
}

func (o *Orchestrator) handle(ctx context.Context, batch []platform.Delivery) (failed []string) {
	settings := o.door.Settings
	messages := o.door.Open(ctx, batch)
	if !o.door.KeysReady(ctx, messages) {
		return o.door.Close(ctx, messages)
	}
	o.Sweeper.AskFirst(ctx, messages)
	groups := deciding.GroupsOf(messages, settings.SuspectReceives)
	limit := settings.Parallelism
	if slices.ContainsFunc(groups, func(g *deciding.Group) bool { return g.Suspect != "" }) {
		// One after the other, so that a process that dies leaves the mark of the
		// turn that killed it, and no other.
		limit = 1
	}
	turns := make([][]*inbox.Message, len(groups))
	for i, g := range groups {
		turns[i] = g.Batch()
	}
	r := inbox.NewRelease(ctx, o.door.Desk, messages, turns)
	defer r.End()
	sharing.SideBySide(ctx, limit, len(groups), o.together, func(i int) {
		if g := groups[i]; len(g.Messages) > 0 {
			o.turns.runGroup(ctx, g)
		}
		o.Sweeper.Delete(ctx, groups[i].Deletions)
		r.Done(ctx, turns[i])
	})
	o.Sweeper.Take(ctx, messages)
	return o.door.Close(ctx, messages)
}

// Close unwinds the instances in the cache: deferred functions of their code
// run. The orchestrator stays usable.
func (o *Orchestrator) Close() { o.turns.cache.Clear() }
