package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// WorkerConfig is what a Worker works with.
type WorkerConfig struct {
	// Activities that this build can run. Required.
	Activities *activity.Registry
	// Stops are the requests to stop activities. Required.
	Stops store.Activities
	// Queues: Orchestrator and Activity are required. With DeadStandard, what
	// can't be understood is moved there at once.
	Queues Queues
	// Settings; the zero value is DefaultSettings.
	Settings Settings
	// Clock; default WallClock.
	Clock Clock
	// Random; default crypto/rand.
	Random io.Reader
	// Go starts a goroutine; default the go statement. Each attempt has one.
	Go func(func())
	// Observer; default NoObserver.
	Observer Observer
	// Logger; default discards.
	Logger *slog.Logger
}

// Worker runs attempts of activities. Its methods may be called from several
// goroutines at once.
type Worker struct {
	WorkerConfig
	random *random
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
	errs = append(errs, cfg.Settings.complete())
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	surroundings(&cfg.Clock, &cfg.Go, &cfg.Observer, &cfg.Logger)
	return &Worker{WorkerConfig: cfg, random: newRandom(cfg.Random)}, nil
}

// Handle runs the attempts of a batch side by side and returns the ids of the
// messages that are not done, to be reported as batch item failures; never
// nil. All others may be deleted: a result, or the message of the next
// attempt, was sent before.
//
// ctx carries the deadline of the invocation, by Clock; the contexts of the
// attempts end in time before it.
func (w *Worker) Handle(ctx context.Context, batch []Delivery) (failed []string) {
	messages := make([]*message, len(batch))
	for i, d := range batch {
		messages[i] = &message{Delivery: d}
	}
	back := make([]time.Duration, len(batch))
	sideBySide(w.Settings.Parallelism, len(batch), w.Go, func(i int) {
		back[i] = w.handle(ctx, messages[i])
	})
	failed = []string{}
	for i, m := range messages {
		if m.state == settled {
			continue
		}
		failed = append(failed, m.ID)
		backOff(ctx, w.Queues.Activity, m, back[i], w.Logger.DebugContext)
	}
	return failed
}

// handle takes one message. If it does not settle it, it returns after which
// time it is to come back.
func (w *Worker) handle(ctx context.Context, m *message) (back time.Duration) {
	back = grown(w.Settings.BackoffFirst, w.Settings.BackoffMax, m.ReceiveCount-1)
	item, err := wire.Parse([]byte(m.Body))
	m.item = item
	switch {
	case err != nil:
		w.notForUs(ctx, m, reasonOf(err), err.Error())
		return back
	case item.Kind != wire.ActivityExecute:
		w.notForUs(ctx, m, wire.ReasonMisaddressed, fmt.Sprintf("%s does not belong on the activity queue", item.Kind))
		return back
	}
	delay, err := w.take(ctx, m)
	if err != nil {
		w.Logger.WarnContext(ctx, "attempt not done, its message goes back", "activity", item.Name, "instance", item.Instance,
			"event_id", item.SchedulingEventID, "attempt", item.Attempt, "error", err)
		w.Observer.Count(CountHandedBack, failureWord(err), 1)
		return max(back, delay)
	}
	m.state = settled
	return 0
}

// notForUs deals with what is no attempt: without a dead-letter queue of its
// own a worker leaves it to the receive count, which takes it to the activity
// queue's, and the orchestrator's handler on to the final one, with its reason.
func (w *Worker) notForUs(ctx context.Context, m *message, reason wire.Reason, text string) {
	if w.Queues.DeadStandard == nil {
		w.Logger.WarnContext(ctx, "not a work item for workers; it goes back", "message_id", m.ID, "reason", string(reason), "text", text)
		w.Observer.Count(CountHandedBack, string(reason), 1)
		return
	}
	if err := moveToDead(ctx, w.Queues.DeadStandard, m, reason, text, w.Logger); err != nil {
		w.Logger.WarnContext(ctx, "message not moved", "message_id", m.ID, "error", err)
		return
	}
	m.state = settled
	w.Observer.Count(CountDeadLettered, string(reason), 1)
}

// take makes one attempt and sends what came of it. With an error the message
// comes back, after at least the delay.
func (w *Worker) take(ctx context.Context, m *message) (delay time.Duration, err error) {
	item := &m.item
	if due := time.UnixMilli(item.NotBeforeMS); item.NotBeforeMS > 0 && due.After(w.Clock.Now()) {
		return 0, w.sendAttempt(ctx, *item, due)
	}
	if !hasTime(ctx, w.Clock, w.Settings.AttemptTime) {
		return 0, fmt.Errorf("too little is left of the invocation: %w", context.DeadlineExceeded)
	}
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}
	reason, stop, err := w.Stops.StopRequested(ctx, key)
	if err != nil {
		return 0, fmt.Errorf("requests to stop: %w", err)
	}
	if stop {
		w.Observer.Count(CountAttempts, "stopped", 1)
		return 0, w.sendFailure(ctx, item, &history.Failure{Kind: history.FailureCancelled, Source: item.Name, Attempt: item.Attempt - 1,
			Message: "asked to stop before attempt " + fmt.Sprint(item.Attempt) + ": " + reason})
	}
	a, err := w.Activities.Lookup(item.Name)
	if err != nil {
		return w.unknown(ctx, m, err)
	}
	run := attempt{code: a.Func, input: item.Input, clock: w.Clock, start: w.Go, maxPayload: w.Settings.MaxPayload,
		timeout: attemptTimeout(ctx, w.Clock, item.Retry, w.Settings.AttemptTimeout, w.Settings.ExitTime),
		info: activity.Info{Name: item.Name, Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID,
			Attempt: item.Attempt, Delivery: max(m.ReceiveCount, 1), ScheduledAt: time.UnixMilli(item.ScheduledAtMS),
			IdempotencyKey: idempotencyKey(item.Instance, item.ExecutionID, item.SchedulingEventID)}}
	// The message stays hidden for what the attempt may take; if this process
	// dies it comes back soon after, and not after the queue's whole timeout.
	if err := w.Queues.Activity.SetVisibility(ctx, m.Message, min(run.timeout+w.Settings.VisibilityMargin, queue.MaxVisibility)); err != nil {
		w.Logger.DebugContext(ctx, "visibility of an attempt's message not set", "message_id", m.ID, "error", err)
	}
	began := w.Clock.Now()
	result, failure := run.do(ctx)
	w.Observer.Timing(TimeAttempt, w.Clock.Now().Sub(began))
	w.Observer.Count(CountAttempts, outcomeOf(failure), 1)
	return 0, w.finish(ctx, item, result, failure)
}

// finish sends the result, the next attempt, or the failure. A retry is a new
// message, sent before the old one is acknowledged.
func (w *Worker) finish(ctx context.Context, item *wire.Item, result []byte, failure *history.Failure) error {
	if failure == nil {
		done := wire.Item{V: wire.Version, Kind: wire.ActivityCompleted, Instance: item.Instance, ExecutionID: item.ExecutionID,
			SourceEventID: item.SchedulingEventID, Token: item.Token, Result: result}
		err := w.send(ctx, &done)
		var parse *wire.ParseError
		var invalid *queue.InvalidMessageError
		if !errors.As(err, &parse) && !errors.As(err, &invalid) {
			return err
		}
		failure = sendFailure(err, fmt.Sprintf("result of activity %q", item.Name))
		failure.Source, failure.Attempt = item.Name, item.Attempt
	}
	if activity.Retryable(item.Retry, failure, item.Attempt) {
		share, err := w.random.share()
		if err != nil {
			return err
		}
		next := *item
		next.Attempt++
		due := w.Clock.Now().Add(activity.Delay(item.Retry, next.Attempt, share))
		return w.sendAttempt(ctx, next, due)
	}
	return w.sendFailure(ctx, item, failure)
}

// sendAttempt sends an attempt that is due at a time. A delay that is longer
// than a queue can wait is waited in full, in rounds.
func (w *Worker) sendAttempt(ctx context.Context, item wire.Item, due time.Time) error {
	rest := due.Sub(w.Clock.Now())
	item.NotBeforeMS = 0
	if rest > queue.MaxDelay {
		item.NotBeforeMS = due.UnixMilli()
	}
	body, err := item.Encode()
	if err == nil {
		err = w.Queues.Activity.Send(ctx, queue.Outgoing{Body: string(body), Delay: queueDelay(rest)})
	}
	if err != nil {
		return fmt.Errorf("%w: attempt %d: %w", errDispatch, item.Attempt, err)
	}
	return nil
}

func (w *Worker) sendFailure(ctx context.Context, item *wire.Item, f *history.Failure) error {
	return w.send(ctx, &wire.Item{V: wire.Version, Kind: wire.ActivityFailed, Instance: item.Instance, ExecutionID: item.ExecutionID,
		SourceEventID: item.SchedulingEventID, Token: item.Token, Details: wire.FailureOf(f)})
}

// send sends a completion to its orchestration. Its deduplication id derives
// from the fact, so that a repeat is heard once.
func (w *Worker) send(ctx context.Context, item *wire.Item) error {
	body, err := encode(item)
	if err == nil {
		err = w.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(item.Instance), DedupID: wire.DedupID(item)})
	}
	if err != nil {
		return fmt.Errorf("%w: %s of event %d of instance %q: %w", errDispatch, item.Kind, item.SourceEventID, item.Instance, err)
	}
	return nil
}

// unknown lets the message of an activity that this build does not have come
// back, for a deployment may be under way. At the limit its orchestration is
// told.
func (w *Worker) unknown(ctx context.Context, m *message, cause error) (time.Duration, error) {
	if m.ReceiveCount < w.Settings.UnknownReceives {
		return grown(w.Settings.UnknownFirst, queue.MaxDelay, m.ReceiveCount-1), cause
	}
	w.Observer.Count(CountAttempts, history.FailureNotRegistered, 1)
	return 0, w.sendFailure(ctx, &m.item, &history.Failure{Kind: history.FailureNotRegistered, Message: cause.Error(), Source: m.item.Name})
}
