package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/random"
	"github.com/turnstile-go/turnstile/host/internal/sharing"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// WorkerConfig is what a Worker works with.
type WorkerConfig struct {
	// Activities that this build can run. Required.
	Activities *activity.Registry
	// Stops is what workers keep of activities: requests to stop, heartbeats,
	// claims. Required.
	Stops store.Activities
	// Queues: Orchestrator and Activity are required. With ActivityDead, what
	// is no attempt is moved there at once.
	Queues host.Queues
	// Codecs open inputs and seal results; nil for plain ones. The code of
	// activities has plain payloads.
	Codecs *codec.Set
	// Settings; the zero value is DefaultSettings.
	Settings host.Settings
	// Environment; its zero value will do.
	host.Environment
}

// Worker runs attempts of activities. Its methods may be called from several
// goroutines at once.
type Worker struct {
	WorkerConfig
	edge   edge.Edge
	random *random.Source
}

// NewWorker returns a worker; the error names everything that is missing or
// can't be.
func NewWorker(cfg WorkerConfig) (*Worker, error) {
	var errs []error
	if cfg.Activities == nil {
		errs = append(errs, errors.New("host: worker needs a registry of activities"))
	}
	if cfg.Stops == nil {
		errs = append(errs, errors.New("host: worker needs a store of requests to stop"))
	}
	if cfg.Queues.Orchestrator == nil {
		errs = append(errs, errors.New("host: worker needs the orchestrator queue"))
	}
	if cfg.Queues.Activity == nil {
		errs = append(errs, errors.New("host: worker needs the activity queue"))
	}
	errs = append(errs, cfg.Settings.Complete())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	cfg.Environment.Complete()
	sharing.Queues(&cfg.Queues.Orchestrator, &cfg.Queues.Activity, &cfg.Queues.ActivityDead)
	return &Worker{WorkerConfig: cfg, edge: edge.New(cfg.Codecs), random: random.New(cfg.Random)}, nil
}

// Handle runs the attempts of a batch side by side and returns the ids of the
// messages that are not done, to be reported as batch item failures; never
// nil. All others may be deleted: a result, or the message of the next
// attempt, was sent before. A message that is done is deleted here where it
// would become visible again while the rest of its batch is worked on.
//
// ctx carries the deadline of the invocation, by Clock; the contexts of the
// attempts end in time before it.
func (w *Worker) Handle(ctx context.Context, batch []host.Delivery) (failed []string) {
	ctx, shared := sharing.Begin(ctx, w.Clock, w.Settings.SendWindow)
	messages := make([]*message, len(batch))
	for i, d := range batch {
		messages[i] = &message{Delivery: d, visible: w.Clock.Now().Add(w.Settings.ActivityVisibility)}
	}
	back := make([]time.Duration, len(batch))
	mates := w.newBatchMates(len(batch))
	whole, _ := clock.Left(ctx, w.Clock)
	defer mates.part()
	sharing.SideBySide(w.Settings.Parallelism, len(batch), shared.Together(w.Together), func(i int) {
		messages[i].alone = len(batch) == 1
		if back[i] = w.handle(ctx, messages[i]); !messages[i].waits {
			mates.finished(ctx, messages[i])
		}
	})
	for i, m := range messages {
		if !m.waits {
			continue
		}
		if !w.hasTimeFor(ctx, m, whole) {
			w.Observer.Count(host.CountHandedBack, "no time", 1)
			mates.finished(ctx, m)
			continue
		}
		// What is done must not be done again if this attempt ends the process.
		mates.deleteDone(ctx, messages)
		m.waits, m.alone = false, true
		back[i] = w.handle(ctx, m)
		mates.finished(ctx, m)
	}
	failed = []string{}
	var hidden delivery.Comeback
	for i, m := range messages {
		if m.state == settled {
			continue
		}
		if old(m, w.Clock.Now()) {
			w.renew(m.about(ctx), m, back[i])
			if m.state == settled {
				continue
			}
		}
		failed = append(failed, m.ID)
		hidden.Add(w.Queues.Activity, &m.Message, &m.item, back[i])
	}
	hidden.Send(ctx, w.Logger.DebugContext)
	return failed
}

// handle takes one message. If it does not settle it, it returns after which
// time it is to come back.
func (w *Worker) handle(ctx context.Context, m *message) (back time.Duration) {
	back = backoff.Grown(w.Settings.BackoffFirst, w.Settings.BackoffMax, m.ReceiveCount-1)
	item, err := wire.ParseText(m.Body)
	m.item = item
	switch {
	case err != nil:
		w.notForUs(ctx, m, delivery.ReasonOf(err), w.edge.Refusal(err))
		return back
	case item.Kind != wire.ActivityExecute:
		w.notForUs(ctx, m, wire.ReasonMisaddressed, fmt.Sprintf("%s does not belong on the activity queue", item.Kind))
		return back
	}
	ctx = m.about(ctx)
	now := w.Clock.Now()
	delivery.Received(&m.Message, &m.item, now)
	w.Observer.Timing(host.TimeMessageAge, max(m.item.Age(now), 0))
	switch due := time.UnixMilli(m.item.NotBeforeMS); {
	case m.item.Expired(now):
		w.notForUs(ctx, m, wire.ReasonExpired, delivery.Expiry(&m.item, now))
		return back
	case due.After(now.Add(delivery.MaxWait)):
		w.notForUs(ctx, m, wire.ReasonInvalidField, fmt.Sprintf("it is not to be begun before %s, beyond any delay of a retry", due.UTC().Format(time.RFC3339)))
		return back
	}
	delay, err := w.take(ctx, m)
	if errors.Is(err, errNotAlone) {
		m.waits = true
		return back
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "attempt not done, its message goes back", "activity", item.Name, "instance", item.Instance,
			"event_id", item.SchedulingEventID, "attempt", item.Attempt, "error", err)
		w.Observer.Count(host.CountHandedBack, failureWord(err), 1)
		return max(back, delay)
	}
	m.state = settled
	return 0
}

// notForUs moves what is no attempt to the activity queue's dead-letter queue,
// from where the orchestrator's handler takes it to the final one, with its
// reason.
func (w *Worker) notForUs(ctx context.Context, m *message, reason wire.Reason, text string) {
	if w.Queues.ActivityDead == nil {
		w.Logger.WarnContext(ctx, "not a work item for workers; it goes back", "message_id", m.ID, "reason", string(reason), "text", text)
		w.Observer.Count(host.CountHandedBack, string(reason), 1)
		return
	}
	if err := delivery.MoveToDead(ctx, w.Queues.ActivityDead, &m.Message, &m.item, reason, text, w.Logger); err != nil {
		w.Logger.WarnContext(ctx, "message not moved", "message_id", m.ID, "error", err)
		return
	}
	m.state = settled
	w.Observer.Count(host.CountDeadLettered, string(reason), 1)
}
