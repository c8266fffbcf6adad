package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// errNotSent is wrapped by errors of sending an answer.
var errNotSent = errors.New("worker: the outcome of the attempt was not sent")

// answer holds the messages that the worker sends after an attempt, or instead of one, before it acknowledges the
// message. If an answer has neither a completion nor a next attempt, the message is only acknowledged.
type answer struct {
	// completion goes to the orchestrator: the result of the activity or a report about it.
	completion *wire.Item
	// dedupID is the deduplication id of the completion if it differs from wire.DedupID.
	dedupID string
	// next is the next attempt, due at due. It is sent to the queue from which this attempt came
	// or, with forward, to the queue of its policy.
	next    *wire.Item
	due     time.Time
	forward bool
	// outcome is the outcome that is counted for the attempt, and delayed the reason that is
	// counted for a requeued attempt; empty for none.
	outcome, delayed string
}

// give sends an answer.
func (w *Worker) give(ctx context.Context, a *answer) error {
	if a.outcome != "" {
		w.Observer.Count(host.CountAttempts, a.outcome, 1)
	}
	if a.delayed != "" {
		w.Observer.Count(host.CountDelayed, a.delayed, 1)
	}
	if c := a.completion; c != nil {
		err := w.sendCompletion(ctx, c, a.dedupID)
		if edge.Unfit(err) && c.Details != nil {
			c.Details = w.edge.Failure(edge.Shortened(err, c.Details.History()))
			err = w.sendCompletion(ctx, c, a.dedupID)
		}
		if err != nil {
			return fmt.Errorf("%w: %s of event %d of instance %q: %w", errNotSent, c.Kind, c.SourceEventID, c.Instance, err)
		}
	}
	if next := a.next; next != nil {
		to := w.Queues.Activity
		if a.forward {
			to = w.Queues.OfAttempts(edge.QueueOf(next.Retry))
		}
		if next.Details != nil {
			next.Details = w.edge.Failure(next.Details.History())
		}
		err := w.edge.SendAttempt(ctx, to, *next, a.due, w.Clock.Now())
		if edge.Unfit(err) && next.Details != nil {
			next.Details = w.edge.Failure(edge.Shortened(err, next.Details.History()))
			err = w.edge.SendAttempt(ctx, to, *next, a.due, w.Clock.Now())
		}
		if edge.Unfit(err) {
			// The queue accepted an earlier attempt, but now has a lower size limit.
			f := edge.Unsendable(err, fmt.Sprintf("attempt %d of activity %q", next.Attempt, next.Name))
			f.Source, f.Attempt = next.Name, next.Attempt-1
			return w.give(ctx, failed(next, f, 0))
		}
		if err != nil {
			return fmt.Errorf("%w: attempt %d of event %d of instance %q: %w", errNotSent, next.Attempt, next.SchedulingEventID, next.Instance, err)
		}
	}
	return nil
}

// sendCompletion sends a completion to its orchestration. Its deduplication id derives from its
// content, so that a repeat is not delivered.
func (w *Worker) sendCompletion(ctx context.Context, c *wire.Item, dedupID string) error {
	if c.Kind != wire.ActivityPending {
		c.RequestID = w.RequestID.Of(ctx)
	}
	c.Stamp(w.Clock.Now())
	if c.Details != nil {
		c.Details = w.edge.Failure(c.Details.History())
	}
	body, err := w.edge.Encode(c)
	if err != nil {
		return err
	}
	if dedupID == "" {
		dedupID = wire.DedupID(c)
	}
	return w.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(c.Instance), DedupID: dedupID})
}

// finish sends the result of an attempt. A retry is a new message, sent before the old one is acknowledged.
func (w *Worker) finish(ctx context.Context, t *task, r *attempt.Result) error {
	item := &t.item
	if r.Pending {
		return w.give(ctx, pending(t))
	}
	if w.Clock.Now().Sub(time.UnixMilli(item.ScheduledAtMS)) >= delivery.Quick {
		paused := *item
		paused.Depth, item = 0, &paused // A pause breaks the loop, so the depth starts again.
	}
	failure := r.Failure
	if failure == nil {
		err := w.give(ctx, completed(item, r))
		if !edge.Unfit(err) {
			return err // Sent, or failed for a reason other than its size.
		}
		failure = edge.Unsendable(err, fmt.Sprintf("result of activity %q", item.Name))
		failure.Source, failure.Attempt = item.Name, item.Attempt
	}
	if !activities.Retryable(item.Retry, failure, item.Attempt) {
		return w.give(ctx, failed(item, activities.Settled(item.Retry, failure), r.StartedAtMS))
	}
	next, due, err := attempt.Next(item, failure, r.Delay, w.Clock.Now(), w.random)
	if err == nil {
		err = w.give(ctx, later(next, due))
	}
	if err == nil {
		w.noteNext(ctx, t, r, failure, due)
	}
	return err
}

// noteNext records, for displays, the attempt that was sent, because the history does not contain
// attempts of an activity that has not completed. A failure to record it is only logged.
func (w *Worker) noteNext(ctx context.Context, t *task, r *attempt.Result, failure *history.Failure, due time.Time) {
	now := w.Clock.Now()
	next := store.NextAttempt{Attempt: t.item.Attempt + 1, DueAt: due, NotedAt: now, Kind: failure.Kind, Message: edge.Cut(failure.Message, store.MaxNextText),
		RequestID: w.RequestID.Of(ctx), Actor: t.item.Actor}
	if r.StartedAtMS != 0 {
		next.StartedAt = time.UnixMilli(r.StartedAtMS)
	}
	if err := w.Stops.NoteNext(ctx, t.key(), next, now.Add(delivery.Retention)); err != nil {
		w.Logger.DebugContext(ctx, "could not note the next attempt", attrs(&t.item, "error", err)...)
	}
}

// later returns the answer that sends an attempt when it is due. A delay longer than the queue's maximum is split over
// several messages.
func later(item wire.Item, due time.Time) *answer { return &answer{next: &item, due: due} }

func completed(item *wire.Item, r *attempt.Result) *answer {
	c := completion(item, wire.ActivityCompleted, item.Attempt)
	c.Result, c.StartedAtMS, c.Actor, c.Depth = r.Output, r.StartedAtMS, item.Actor, item.Depth
	return &answer{completion: &c}
}

// failed returns the failure of an activity after one of its attempts.
func failed(item *wire.Item, f *history.Failure, startedAtMS int64) *answer {
	c := completion(item, wire.ActivityFailed, f.Attempt)
	if c.Details, c.StartedAtMS = wire.FailureOf(f), startedAtMS; startedAtMS != 0 {
		c.Actor, c.Depth = item.Actor, item.Depth
	}
	return &answer{completion: &c}
}

// failedUnstarted returns the failure of an activity whose next attempt is not started.
func failedUnstarted(item *wire.Item, f history.Failure) *answer {
	a := failed(item, &f, 0)
	a.outcome = f.Kind
	return a
}

// stopped returns the failure of an activity that was asked to stop before the attempt started.
func stopped(item *wire.Item, reason string) *answer {
	a := failedUnstarted(item, history.Failure{Kind: history.FailureCancelled, Source: item.Name, Attempt: item.Attempt - 1,
		Message: fmt.Sprintf("asked to stop before attempt %d: %s", item.Attempt, reason)})
	a.outcome = "stopped"
	return a
}

// unheard reports to the orchestrator an attempt that was already started and whose result is
// unknown. Its deduplication id differs from that of the activity's failure, which may follow soon.
func unheard(item *wire.Item) *answer {
	a := failedUnstarted(item, history.Failure{Kind: history.FailureInterrupted, Source: item.Name, Attempt: item.Attempt, Retryable: true, Message: fmt.Sprintf(
		"attempt %d of activity %q was started before, but its result is unknown; it runs at most once, so it was not started again", item.Attempt, item.Name)})
	a.outcome = "unheard"
	a.dedupID = wire.HopDedupID(wire.DedupID(a.completion), fmt.Sprintf("unheard %d", item.Attempt))
	return a
}

// pending reports to the orchestrator that an activity is pending, so that the orchestrator checks
// the activity when a time limit may have passed. Without a time limit there is nothing to report.
// Each delivery of an attempt reports under its own deduplication id, so that SQS does not drop the
// report as a repeat: the check that an earlier delivery scheduled may be lost, and that may be why
// the attempt was sent again.
func pending(t *task) *answer {
	item := &t.item
	if item.Retry == nil || item.Retry.TotalTimeoutMS <= 0 && item.Retry.HeartbeatTimeoutMS <= 0 {
		return &answer{}
	}
	c := completion(item, wire.ActivityPending, item.Attempt)
	c.Headers = nil
	return &answer{completion: &c, dedupID: wire.HopDedupID(wire.DedupID(&c), fmt.Sprintf("%s %d", t.ID, t.ReceiveCount))}
}

// traceHeader is the W3C trace context header that a completion returns, so that the result can be linked to its trace.
const traceHeader = "traceparent"

// completion returns the completion of an attempt without its result.
func completion(item *wire.Item, kind wire.Kind, attempt int) wire.Item {
	c := wire.Item{V: wire.Version, Kind: kind, Instance: item.Instance, ExecutionID: item.ExecutionID,
		SourceEventID: item.SchedulingEventID, Token: item.Token, Attempt: attempt}
	if trace, traced := item.Headers[traceHeader]; traced {
		c.Headers = map[string]string{traceHeader: trace}
	}
	return c
}
