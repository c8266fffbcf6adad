package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/attempt"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/dispatch"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// take makes one attempt and sends what came of it. With an error the message
// comes back, after at least the delay.
func (w *Worker) take(ctx context.Context, m *message) (delay time.Duration, err error) {
	item := &m.item
	now := w.Clock.Now()
	if due := time.UnixMilli(item.NotBeforeMS); item.NotBeforeMS > 0 && due.After(now) {
		return 0, w.sendAttempt(ctx, *item, due)
	}
	scheduled := time.UnixMilli(item.ScheduledAtMS)
	if end, bounded := attempt.TotalEnd(item.Retry, scheduled); bounded && !end.After(now) {
		w.Observer.Count(host.CountAttempts, history.FailureTotalTimeout, 1)
		f := attempt.TotalFailure(item.Name, item.Attempt-1, end.Sub(scheduled), item.Details.History())
		return 0, w.sendFailure(ctx, item, &f)
	}
	if !clock.HasTime(ctx, w.Clock, w.Settings.AttemptTime) {
		return 0, fmt.Errorf("too little is left of the invocation: %w", context.DeadlineExceeded)
	}
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}
	var state store.ActivityState
	if !w.young(m, scheduled, now) {
		if state, err = w.Stops.State(ctx, key); err != nil {
			return 0, fmt.Errorf("what is known of the activity: %w", err)
		}
	}
	if state.Stop {
		w.Observer.Count(host.CountAttempts, "stopped", 1)
		return 0, w.sendFailure(ctx, item, &history.Failure{Kind: history.FailureCancelled, Source: item.Name, Attempt: item.Attempt - 1,
			Message: "asked to stop before attempt " + fmt.Sprint(item.Attempt) + ": " + state.StopReason})
	}
	a, err := w.Activities.Lookup(item.Name)
	if err != nil {
		return 0, w.unknown(ctx, item, err)
	}
	if done, err := w.letIn(ctx, item, key, &state.Beat); done || err != nil {
		return 0, err
	}
	run := attempt.Attempt{Code: a.Func, Final: a.Final, Input: item.Input, Clock: w.Clock, Go: w.Go, MaxPayload: w.Settings.MaxPayload,
		Limit: attempt.LimitOf(ctx, w.Clock, item.Retry, scheduled, w.Settings.AttemptTimeout, w.Settings.ExitTime),
		Info: activity.Info{Sealed: w.Codecs != nil, Name: item.Name, Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID,
			Attempt: item.Attempt, Delivery: max(m.ReceiveCount, 1), ScheduledAt: scheduled, Heartbeat: state.Beat.Details,
			IdempotencyKey: attempt.IdempotencyKey(item.Instance, item.ExecutionID, item.SchedulingEventID),
			Headers:        item.Headers, CompletionToken: wire.ActivityToken{Instance: item.Instance, ExecutionID: item.ExecutionID,
				EventID: item.SchedulingEventID, Token: item.Token}.String()}}
	if item.Retry != nil && item.Retry.AtMostOnce {
		mine, delay, err := w.claim(ctx, m, key, run.Limit.Timeout)
		if !mine {
			return delay, err
		}
	}
	begins, delay, err := w.suspects(ctx, m, key, state.Suspect, run.Limit.Timeout)
	if !begins {
		return delay, err
	}
	run.Pulse = w.newPulse(m, key)
	w.hide(ctx, m, run.Limit.Timeout, run.Pulse)
	began := w.Clock.Now()
	result := run.Do(ctx)
	result.StartedAtMS = began.UnixMilli()
	w.Observer.Timing(host.TimeAttempt, w.Clock.Now().Sub(began))
	w.Observer.Count(host.CountAttempts, result.Outcome(), 1)
	if result.Failure != nil {
		run.Pulse.Flush(ctx)
	}
	if err = w.finish(ctx, item, result); err == nil {
		w.settleClaim(ctx, m, key, &result)
	}
	w.clearSuspect(ctx, m, key)
	return 0, err
}

// young reports whether an attempt is begun so soon that nothing can be known of
// its activity but a request to stop, which is not worth a read: the first
// delivery of the first attempt.
func (w *Worker) young(m *message, scheduled, now time.Time) bool {
	age := now.Sub(scheduled).Abs() // It was scheduled by another clock.
	return m.item.Attempt <= 1 && m.item.Hops == 0 && m.ReceiveCount <= 1 && !m.redriven() && age < w.Settings.LookAfter
}

// letIn makes plain what an attempt is given: its input, and the details of the
// last heartbeat. It reports whether the attempt is done with: sealed by a
// codec that this build does not have, it goes round for one that has it;
// damaged, its activity fails. The details are a help for the attempt, which
// does without damaged ones.
func (w *Worker) letIn(ctx context.Context, item *wire.Item, key store.ActivityKey, beat *store.Heartbeat) (done bool, err error) {
	opened, err := w.Codecs.OpenHeartbeat(key, *beat)
	if err != nil && !edge.MissesCodec(err) {
		w.Logger.WarnContext(ctx, "details of the last heartbeat left out", "instance", key.Instance, "event_id", key.EventID, "error", err)
		opened, err = store.Heartbeat{Attempt: beat.Attempt, At: beat.At}, nil
	}
	if *beat = opened; err == nil {
		err = w.edge.Open(item)
	}
	switch {
	case err == nil:
		return false, nil
	case edge.MissesCodec(err):
		w.Logger.WarnContext(ctx, "attempt is sealed by a codec that this build does not have; it goes round until one that has it makes it",
			"activity", item.Name, "instance", item.Instance, "event_id", item.SchedulingEventID, "error", err)
		w.Observer.Count(host.CountDelayed, "codec", 1)
		round := *item
		round.Hops++
		return true, w.sendAttempt(ctx, round, w.Clock.Now().Add(backoff.Grown(w.Settings.NewerFirst, w.Settings.NewerMax, item.Hops)))
	}
	w.Observer.Count(host.CountAttempts, history.FailureInvalidInput, 1)
	return true, w.sendFailure(ctx, item, &history.Failure{Kind: history.FailureInvalidInput, Source: item.Name, Attempt: item.Attempt, Message: err.Error()})
}

// hide keeps the message from others for what the attempt may take, or may
// take until its next heartbeat: if this process dies it comes back soon
// after, and not after the queue's whole timeout. Where the policy has no such
// limit the queue's timeout does, and no call is made. Once the attempt is over,
// its batchMates see to it.
func (w *Worker) hide(ctx context.Context, m *message, timeout time.Duration, p *attempt.Pulse) {
	if p.Timeout > 0 {
		timeout = min(timeout, p.Timeout+p.Interval)
	}
	hidden := min(timeout+w.Settings.VisibilityMargin, queue.MaxVisibility)
	limited := p.Timeout > 0 || m.item.Retry != nil && m.item.Retry.TimeoutMS > 0
	if !limited && hidden <= w.Settings.ActivityVisibility {
		return
	}
	m.visible = w.Clock.Now().Add(hidden)
	if err := w.Queues.Activity.SetVisibility(ctx, hidden, m.Message); err != nil {
		w.Logger.DebugContext(ctx, "visibility of an attempt's message not set", "message_id", m.ID, "error", err)
	}
}

// newPulse returns what takes the heartbeats of an attempt.
func (w *Worker) newPulse(m *message, key store.ActivityKey) *attempt.Pulse {
	p := &attempt.Pulse{Interval: w.Settings.HeartbeatInterval, Log: w.Logger.WarnContext}
	p.Record = func(ctx context.Context, details []byte) (store.ActivityState, error) {
		if len(details) > w.Settings.MaxPayload {
			return store.ActivityState{}, fmt.Errorf("host: details of a heartbeat: %d bytes, the limit is %d", len(details), w.Settings.MaxPayload)
		}
		now := w.Clock.Now()
		beat, err := w.Codecs.SealHeartbeat(key, store.Heartbeat{Attempt: m.item.Attempt, At: now, Details: details})
		if err != nil {
			return store.ActivityState{}, err
		}
		return w.Stops.Heartbeat(ctx, key, beat, now.Add(w.Settings.StopRetention))
	}
	if r := m.item.Retry; r != nil && r.HeartbeatTimeoutMS > 0 {
		p.Timeout = time.Duration(r.HeartbeatTimeoutMS) * time.Millisecond
		p.Interval = min(p.Interval, p.Timeout/3)
		p.Extend = func(ctx context.Context) { w.hide(ctx, m, p.Timeout+p.Interval, p) }
	}
	return p
}

// finish sends the result, the next attempt, or the failure. A retry is a new
// message, sent before the old one is acknowledged.
func (w *Worker) finish(ctx context.Context, item *wire.Item, r attempt.Result) error {
	if r.Pending {
		return w.sendPending(ctx, item)
	}
	failure := r.Failure
	if failure == nil {
		done := wire.Item{V: wire.Version, Kind: wire.ActivityCompleted, Instance: item.Instance, ExecutionID: item.ExecutionID,
			SourceEventID: item.SchedulingEventID, Token: item.Token, Result: r.Output, Attempt: item.Attempt, StartedAtMS: r.StartedAtMS, Headers: traceOf(item)}
		err := w.send(ctx, &done)
		var parse *wire.ParseError
		var invalid *queue.InvalidMessageError
		if !errors.As(err, &parse) && !errors.As(err, &invalid) {
			return err
		}
		failure = edge.Unsendable(err, fmt.Sprintf("result of activity %q", item.Name))
		failure.Source, failure.Attempt = item.Name, item.Attempt
	}
	if activity.Retryable(item.Retry, failure, item.Attempt) {
		next, due, err := attempt.Next(item, failure, r.Delay, w.Clock.Now(), w.random)
		if err != nil {
			return err
		}
		if err := w.sendAttempt(ctx, next, due); err != nil {
			return err
		}
		w.noteNext(ctx, item, failure, next.Attempt, due)
		return nil
	}
	return w.sendEnd(ctx, item, failure, r.StartedAtMS)
}

// noteNext notes the attempt that was sent, for those who look at the activity:
// its history says nothing before it has ended. A note that fails is no matter of
// the activity.
func (w *Worker) noteNext(ctx context.Context, item *wire.Item, failure *history.Failure, attempt int, due time.Time) {
	now := w.Clock.Now()
	key := store.ActivityKey{Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID}
	next := store.NextAttempt{Attempt: attempt, DueAt: due, NotedAt: now, Kind: failure.Kind, Message: edge.Cut(failure.Message, store.MaxNextText)}
	if err := w.Stops.NoteNext(ctx, key, next, now.Add(w.Settings.StopRetention)); err != nil {
		w.Logger.DebugContext(ctx, "next attempt not noted", "activity", item.Name, "instance", item.Instance,
			"event_id", item.SchedulingEventID, "attempt", attempt, "error", err)
	}
}

// sendAttempt sends an attempt that is due at a time. A delay that is longer
// than a queue can wait is waited in full, in rounds.
func (w *Worker) sendAttempt(ctx context.Context, item wire.Item, due time.Time) error {
	body, delay, err := w.edge.AttemptMessage(item, due, w.Clock.Now())
	if err == nil {
		err = w.Queues.Activity.Send(ctx, queue.Outgoing{Body: body, Delay: delay})
	}
	if err != nil {
		return fmt.Errorf("%w: attempt %d: %w", dispatch.ErrUnsent, item.Attempt, err)
	}
	return nil
}

// sendFailure ends an activity without an attempt.
func (w *Worker) sendFailure(ctx context.Context, item *wire.Item, f *history.Failure) error {
	return w.sendEnd(ctx, item, f, 0)
}

func (w *Worker) sendEnd(ctx context.Context, item *wire.Item, f *history.Failure, startedAtMS int64) error {
	failed := w.end(item, f, startedAtMS)
	return w.send(ctx, &failed)
}

// end is the failure of an activity.
func (w *Worker) end(item *wire.Item, f *history.Failure, startedAtMS int64) wire.Item {
	return wire.Item{V: wire.Version, Kind: wire.ActivityFailed, Instance: item.Instance, ExecutionID: item.ExecutionID,
		SourceEventID: item.SchedulingEventID, Token: item.Token, Details: wire.FailureOf(f), Attempt: f.Attempt, StartedAtMS: startedAtMS, Headers: traceOf(item)}
}

// sendPending tells the orchestrator of a pending activity, so that it watches
// over its time limits; without any there is nothing to watch.
func (w *Worker) sendPending(ctx context.Context, item *wire.Item) error {
	if item.Retry == nil || item.Retry.TotalTimeoutMS <= 0 && item.Retry.HeartbeatTimeoutMS <= 0 {
		return nil
	}
	return w.send(ctx, &wire.Item{V: wire.Version, Kind: wire.ActivityPending, Instance: item.Instance, ExecutionID: item.ExecutionID,
		SourceEventID: item.SchedulingEventID, Token: item.Token, Attempt: item.Attempt})
}

// send sends a completion to its orchestration. Its deduplication id derives
// from the fact, so that a repeat is heard once.
func (w *Worker) send(ctx context.Context, item *wire.Item) error {
	return w.sendAs(ctx, item, wire.DedupID(item))
}

func (w *Worker) sendAs(ctx context.Context, item *wire.Item, dedupID string) error {
	if item.Kind != wire.ActivityPending {
		item.RequestID = w.RequestID.Of(ctx)
	}
	item.Stamp(w.Clock.Now())
	body, err := w.edge.Encode(item)
	if err == nil {
		err = w.Queues.Orchestrator.Send(ctx, queue.Outgoing{Body: body, Group: wire.Group(item.Instance), DedupID: dedupID})
	}
	if err != nil {
		return fmt.Errorf("%w: %s of event %d of instance %q: %w", dispatch.ErrUnsent, item.Kind, item.SourceEventID, item.Instance, err)
	}
	return nil
}

// unknown sends an attempt round whose activity this build does not have, until
// a build has it: as an orchestration that is not registered, it waits for a
// deployment. The time of all attempts together goes on.
func (w *Worker) unknown(ctx context.Context, item *wire.Item, cause error) error {
	w.Logger.WarnContext(ctx, "activity is not registered in this build; its attempt goes round until one that has it makes it",
		"activity", item.Name, "instance", item.Instance, "event_id", item.SchedulingEventID, "attempt", item.Attempt, "error", cause)
	w.Observer.Count(host.CountDelayed, history.FailureNotRegistered, 1)
	round := *item
	round.Hops++
	// It may wait for longer than an item lives: it is asked for anew.
	round.SentMS = w.Clock.Now().UnixMilli()
	due := w.Clock.Now().Add(backoff.Grown(w.Settings.UnknownFirst, w.Settings.UnknownMax, item.Hops))
	if end, bounded := attempt.TotalEnd(item.Retry, time.UnixMilli(item.ScheduledAtMS)); bounded && due.After(end) {
		due = end
	}
	return w.sendAttempt(ctx, round, due)
}
