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

// errNotSent is wrapped by errors of sending what follows from an attempt.
var errNotSent = errors.New("worker: what follows from the attempt was not sent")

// answer is what follows from an attempt, or comes in place of one: it is sent
// before the message is acknowledged. An answer without a completion or a next
// attempt only has its message acknowledged.
type answer struct {
	// completion goes to the orchestrator: the activity's end, or word of it.
	completion *wire.Item
	// dedupID of the completion, where it differs from the fact's (wire.DedupID).
	dedupID string
	// next attempt, and when it is due. It goes to the queue that this one came by, or to
	// the queue of its policy (forward).
	next    *wire.Item
	due     time.Time
	forward bool
	// outcome is counted among the attempts, delayed among what goes round; empty
	// for what is not.
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
			// Its queue took an earlier attempt, and takes less now.
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

// sendCompletion sends a completion to its orchestration. Its deduplication id
// derives from the fact, so that a repeat is heard once.
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

// finish sends what follows from an attempt that was made. A retry is a new
// message, sent before the old one is acknowledged.
func (w *Worker) finish(ctx context.Context, t *task, r *attempt.Result) error {
	item := &t.item
	if r.Pending {
		return w.give(ctx, pending(t))
	}
	failure := r.Failure
	if failure == nil {
		err := w.give(ctx, completed(item, r))
		if !edge.Unfit(err) {
			return err // Sent, or not for its own fault.
		}
		failure = edge.Unsendable(err, fmt.Sprintf("result of activity %q", item.Name))
		failure.Source, failure.Attempt = item.Name, item.Attempt
	}
	if !activities.Retryable(item.Retry, failure, item.Attempt) {
		return w.give(ctx, failed(item, failure, r.StartedAtMS))
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

// noteNext notes the attempt that was sent, for those who look at the activity:
// its history says nothing before it has ended. The activity does not fail if its
// note fails.
func (w *Worker) noteNext(ctx context.Context, t *task, r *attempt.Result, failure *history.Failure, due time.Time) {
	now := w.Clock.Now()
	next := store.NextAttempt{Attempt: t.item.Attempt + 1, DueAt: due, NotedAt: now, Kind: failure.Kind, Message: edge.Cut(failure.Message, store.MaxNextText),
		RequestID: w.RequestID.Of(ctx), Actor: t.item.Actor}
	if r.StartedAtMS != 0 {
		next.StartedAt = time.UnixMilli(r.StartedAtMS)
	}
	if err := w.Stops.NoteNext(ctx, t.key(), next, now.Add(delivery.Retention)); err != nil {
		w.Logger.DebugContext(ctx, "next attempt not noted", attrs(&t.item, "error", err)...)
	}
}

// later is an attempt that is made when it is due. A delay that is longer than a
// queue can wait is waited in full, in rounds.
func later(item wire.Item, due time.Time) *answer { return &answer{next: &item, due: due} }

func completed(item *wire.Item, r *attempt.Result) *answer {
	c := completion(item, wire.ActivityCompleted, item.Attempt)
	c.Result, c.StartedAtMS, c.Actor = r.Output, r.StartedAtMS, item.Actor
	return &answer{completion: &c}
}

// failed is the end of an activity after an attempt of it.
func failed(item *wire.Item, f *history.Failure, startedAtMS int64) *answer {
	c := completion(item, wire.ActivityFailed, f.Attempt)
	if c.Details, c.StartedAtMS = wire.FailureOf(f), startedAtMS; startedAtMS != 0 {
		c.Actor = item.Actor
	}
	return &answer{completion: &c}
}

// failedUnbegun is the end of an activity in place of an attempt.
func failedUnbegun(item *wire.Item, f history.Failure) *answer {
	a := failed(item, &f, 0)
	a.outcome = f.Kind
	return a
}

// stopped is the end of an activity that was asked to stop before the attempt.
func stopped(item *wire.Item, reason string) *answer {
	a := failedUnbegun(item, history.Failure{Kind: history.FailureCancelled, Source: item.Name, Attempt: item.Attempt - 1,
		Message: fmt.Sprintf("asked to stop before attempt %d: %s", item.Attempt, reason)})
	a.outcome = "stopped"
	return a
}

// unheard tells the orchestrator of an attempt that was begun before. Its
// deduplication id differs from that of the activity's failure, which may follow
// soon.
func unheard(item *wire.Item) *answer {
	a := failedUnbegun(item, history.Failure{Kind: history.FailureInterrupted, Source: item.Name, Attempt: item.Attempt, Retryable: true, Message: fmt.Sprintf(
		"attempt %d of activity %q was begun before and not heard of again; it runs at most once, so it was not begun anew", item.Attempt, item.Name)})
	a.outcome = "unheard"
	a.dedupID = wire.HopDedupID(wire.DedupID(a.completion), fmt.Sprintf("unheard %d", item.Attempt))
	return a
}

// pending tells the orchestrator of a pending activity, so that it is looked at when a
// time limit may be over; without any there is nothing to look for. Each delivery of an
// attempt says so itself, and SQS must not drop it as the repeat of what an earlier delivery
// has said: the schedule which that one has brought about may be lost, and the attempt may
// have been sent again for that reason.
func pending(t *task) *answer {
	item := &t.item
	if item.Retry == nil || item.Retry.TotalTimeoutMS <= 0 && item.Retry.HeartbeatTimeoutMS <= 0 {
		return &answer{}
	}
	c := completion(item, wire.ActivityPending, item.Attempt)
	c.Headers = nil
	return &answer{completion: &c, dedupID: wire.HopDedupID(wire.DedupID(&c), fmt.Sprintf("%s %d", t.ID, t.ReceiveCount))}
}

// traceHeader is the header of W3C trace context that a completion brings back, so
// that it can be told which trace the work was part of.
const traceHeader = "traceparent"

// completion is what answers an attempt's item, but for what came of it.
func completion(item *wire.Item, kind wire.Kind, attempt int) wire.Item {
	c := wire.Item{V: wire.Version, Kind: kind, Instance: item.Instance, ExecutionID: item.ExecutionID,
		SourceEventID: item.SchedulingEventID, Token: item.Token, Attempt: attempt}
	if trace, traced := item.Headers[traceHeader]; traced {
		c.Headers = map[string]string{traceHeader: trace}
	}
	return c
}
