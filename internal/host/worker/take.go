package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// take makes one attempt and sends what follows from it. With an error the
// message comes back.
func (w *Worker) take(ctx context.Context, t *task, alone bool) (err error) {
	if other := w.running.enter(t); other != nil {
		return w.beside(ctx, t, other)
	}
	var again *queue.Message
	entered := true
	leave := func() {
		if entered {
			again, entered = w.running.leave(t), false
		}
	}
	defer func() {
		leave()
		w.left(ctx, t, again, err == nil)
	}()
	p, instead, err := w.prepare(ctx, t, alone)
	if err != nil {
		return err
	}
	if instead != nil {
		if instead.next != nil {
			// What is sent in place of the message may be received before this returns. It is
			// not a copy of an attempt that runs here.
			leave()
		}
		if err = w.give(ctx, instead); err == nil && instead.completion != nil {
			w.leaveLine(ctx, t)
		}
		return err
	}
	defer w.givePermits(ctx, t, p)
	if len(p.permits) > 0 {
		// Others may wait for its permit: it hears of a stop without a heartbeat.
		p.Pulse.Look = func(ctx context.Context) (store.ActivityState, error) { return w.Stops.State(ctx, t.key()) }
	}
	w.running.lasts(t, w.Clock.Now().Add(p.Limit.Timeout))
	if err := w.hide(ctx, t, p.Limit.Timeout, p.Pulse); errors.Is(err, queue.ErrReceiptExpired) {
		return fmt.Errorf("%w: %w", errNotHidden, err)
	}
	if w.running.wasAnswered(t) {
		w.Logger.InfoContext(ctx, "attempt that this process has made and answered is made again, because another message asks for it, or its message came again", attrs(&t.item, "message_id", t.ID, "receive_count", t.ReceiveCount)...)
	}
	began := w.Clock.Now()
	if !p.shorten(began) {
		if p.marked {
			w.leaveMark(ctx, t, store.Suspect{})
		}
		return errPermitOver
	}
	result := p.Do(ctx)
	result.StartedAtMS = began.UnixMilli()
	w.Observer.Timing(host.TimeAttempt, w.Clock.Now().Sub(began))
	w.Observer.Count(host.CountAttempts, result.Outcome(), 1)
	if result.Failure != nil {
		p.Pulse.Flush(ctx)
	}
	if err = w.finish(ctx, t, &result); err == nil {
		w.settleClaim(ctx, t, p.claim, &result)
	}
	if err == nil {
		w.running.answer(t)
	}
	if p.marked {
		w.leaveMark(ctx, t, store.Suspect{})
	}
	return err
}

// prepared is an attempt that this process makes.
type prepared struct {
	attempt.Attempt
	// claim is the token with which it was claimed; empty for none.
	claim string
	// marked: as one in which its process may die.
	marked bool
	// permits that it has taken and gives back, asked when it has asked for them.
	permits []permit
	asked   time.Time
}

// prepare decides whether the attempt begins, or what is sent in place of it.
func (w *Worker) prepare(ctx context.Context, t *task, alone bool) (p *prepared, instead *answer, err error) {
	item, now := &t.item, w.Clock.Now()
	if instead := notBegun(item, now); instead != nil {
		return nil, instead, nil
	}
	if !clock.HasTime(ctx, w.Clock, w.Settings.Attempt.Time) {
		return nil, nil, fmt.Errorf("too little is left of the invocation: %w", context.DeadlineExceeded)
	}
	state, err := w.known(ctx, t, now)
	if err != nil {
		return nil, nil, err
	}
	if state.Stop {
		return nil, stopped(item, state.StopReason), nil
	}
	if instead, err := w.early(ctx, t, state.Claim); instead != nil || err != nil {
		return nil, instead, err
	}
	if instead := w.elsewhere(ctx, item, now); instead != nil {
		return nil, instead, nil
	}
	code, err := w.Activities.Lookup(item.Name)
	if err != nil {
		w.Logger.WarnContext(ctx, "activity is not registered in this build; its attempt goes round until one that has it makes it", attrs(item, "error", err)...)
		return nil, w.round(item, now, history.FailureNotRegistered), nil
	}
	if instead, err := w.open(ctx, t, &state.Beat); instead != nil || err != nil {
		return nil, instead, err
	}
	p = &prepared{Attempt: w.attempt(ctx, t, code, state.Beat)}
	if instead, err = w.permits(ctx, t, p); instead != nil || err != nil {
		return nil, instead, err
	}
	if instead, err = w.begin(ctx, t, p, state.Suspect, alone); instead != nil || err != nil {
		w.givePermits(ctx, t, p)
	}
	return p, instead, err
}

// notBegun is what is sent in place of an attempt that is not due, or comes after
// the time of all attempts together; nil if neither is so.
func notBegun(item *wire.Item, now time.Time) *answer {
	if due := time.UnixMilli(item.NotBeforeMS); item.NotBeforeMS > 0 && due.After(now) {
		return later(*item, due)
	}
	scheduled := time.UnixMilli(item.ScheduledAtMS)
	if end, bounded := attempt.TotalEnd(item.Retry, scheduled); bounded && !end.After(now) {
		f := attempt.TotalFailure(item.Name, item.Attempt-1, end.Sub(scheduled), item.Details.History())
		return failedUnbegun(item, f)
	}
	return nil
}

// known reads what is kept of an activity: whether it is to stop, its last
// heartbeat, and the mark of a suspect. The first delivery of the first attempt,
// begun so soon that nothing can be known but a request to stop, does without:
// that is not worth a read.
func (w *Worker) known(ctx context.Context, t *task, now time.Time) (store.ActivityState, error) {
	age := now.Sub(time.UnixMilli(t.item.ScheduledAtMS)).Abs() // It was scheduled by another clock.
	if t.item.Attempt <= 1 && t.item.Hops == 0 && t.ReceiveCount <= 1 && !delivery.Redriven(&t.Message) && age < w.Settings.Attempt.LookAfter {
		return store.ActivityState{}, nil
	}
	state, err := w.Stops.State(ctx, t.key())
	if err != nil {
		err = fmt.Errorf("what is known of the activity: %w", err)
	}
	return state, err
}

// round sends an attempt round that this build can't make, until a build that can
// has it. The time of all attempts together goes on.
func (w *Worker) round(item *wire.Item, now time.Time, why string) *answer {
	first, longest := w.Settings.Attempt.UnknownFirst, w.Settings.Attempt.UnknownMax
	if why == delayedForCodec {
		first, longest = w.Settings.Messages.NewerFirst, w.Settings.Messages.NewerMax
	}
	return w.again(item, now, now.Add(backoff.Grown(first, longest, item.Hops)), why)
}

// again sends an attempt round until it is due, or until the time of all attempts
// together is over, where that is earlier.
func (w *Worker) again(item *wire.Item, now, due time.Time, why string) *answer {
	next := *item
	next.Hops++
	if why != delayedForCodec {
		// It may wait for longer than an item lives: it is asked for anew.
		next.SentMS = now.UnixMilli()
	}
	if end, bounded := attempt.TotalEnd(item.Retry, time.UnixMilli(item.ScheduledAtMS)); bounded && due.After(end) {
		due = end
	}
	a := later(next, due)
	a.delayed = why
	return a
}

// delayedForCodec counts what is sealed by a codec that this build does not have.
const delayedForCodec = "codec"

// open makes plain what an attempt is given: its input, and the details of the last
// heartbeat. If a codec that this build does not have has sealed it, it goes round
// for a build that has it; if it is damaged, its activity fails. The details are a
// help for the attempt, which does without damaged ones.
func (w *Worker) open(ctx context.Context, t *task, beat *store.Heartbeat) (instead *answer, err error) {
	item, key := &t.item, t.key()
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
		return nil, nil
	case edge.MissesCodec(err):
		w.Logger.WarnContext(ctx, "attempt is sealed by a codec that this build does not have; it goes round until one that has it makes it", attrs(item, "error", err)...)
		return w.round(item, w.Clock.Now(), delayedForCodec), nil
	}
	return failedUnbegun(item, history.Failure{Kind: history.FailureInvalidInput, Source: item.Name, Attempt: item.Attempt, Message: err.Error()}), nil
}

// attempt is the run of the activity's code that a message asks for.
func (w *Worker) attempt(ctx context.Context, t *task, code activities.Activity, beat store.Heartbeat) attempt.Attempt {
	item := &t.item
	scheduled := time.UnixMilli(item.ScheduledAtMS)
	return attempt.Attempt{Code: code.Func, Final: code.Final, Input: item.Input, Clock: w.Clock, Go: w.Go, MaxPayload: w.Settings.Limits.Result,
		Limit: attempt.LimitOf(ctx, w.Clock, item.Retry, scheduled, w.Settings.Attempt.Timeout, w.Settings.Attempt.ExitTime),
		Pulse: w.pulse(t),
		Info: activities.Info{Sealed: w.Codecs != nil, Name: item.Name, Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID,
			Attempt: item.Attempt, Delivery: max(t.ReceiveCount, 1), ScheduledAt: scheduled, Heartbeat: beat.Details,
			IdempotencyKey: idempotencyKey(item),
			Headers:        item.Headers, CompletionToken: wire.ActivityToken{Instance: item.Instance, ExecutionID: item.ExecutionID,
				EventID: item.SchedulingEventID, Token: item.Token}.String()}}
}

// idempotencyKey derives from the execution in which the activity was scheduled, or was open
// until a redrive took it over.
func idempotencyKey(item *wire.Item) string {
	if o := item.Origin; o != nil && o.ExecutionID > 0 {
		return attempt.IdempotencyKey(cmp.Or(o.Instance, item.Instance), o.ExecutionID, item.SchedulingEventID)
	}
	return attempt.IdempotencyKey(item.Instance, item.ExecutionID, item.SchedulingEventID)
}

// pulse returns what takes the heartbeats of an attempt.
func (w *Worker) pulse(t *task) *attempt.Pulse {
	p := &attempt.Pulse{Interval: w.Settings.Attempt.HeartbeatInterval, Logger: w.Logger}
	p.Record = func(ctx context.Context, details []byte) (store.ActivityState, error) {
		if len(details) > w.Settings.Limits.Result {
			return store.ActivityState{}, fmt.Errorf("worker: details of a heartbeat: %d bytes, the limit is %d", len(details), w.Settings.Limits.Result)
		}
		now := w.Clock.Now()
		beat, err := w.Codecs.SealHeartbeat(t.key(), store.Heartbeat{Attempt: t.item.Attempt, At: now, Details: details})
		if err != nil {
			return store.ActivityState{}, err
		}
		return w.Stops.Heartbeat(ctx, t.key(), beat, now.Add(delivery.Retention))
	}
	if r := t.item.Retry; r != nil && r.HeartbeatTimeoutMS > 0 {
		p.Timeout = time.Duration(r.HeartbeatTimeoutMS) * time.Millisecond
		p.Interval = min(p.Interval, p.Timeout/3)
		p.Extend = func(ctx context.Context) { _ = w.hide(ctx, t, p.Timeout+p.Interval, p) }
	}
	return p
}

// hide keeps the message from others for what the attempt may take, or may
// take until its next heartbeat: if this process dies it comes back soon
// after, and not after the queue's whole timeout. Where the policy has no such
// limit the queue's timeout does, and no call is made. Once the attempt is over,
// its batch sees to it.
func (w *Worker) hide(ctx context.Context, t *task, timeout time.Duration, p *attempt.Pulse) error {
	if p.Timeout > 0 {
		timeout = min(timeout, p.Timeout+p.Interval)
	}
	hidden := min(timeout+w.Settings.Attempt.VisibilityMargin, queue.MaxVisibility)
	limited := p.Timeout > 0 || t.item.Retry != nil && t.item.Retry.TimeoutMS > 0
	if !limited && hidden <= w.Settings.Attempt.QueueVisibility {
		return nil
	}
	t.visible = w.Clock.Now().Add(hidden)
	err := w.Queues.Activity.SetVisibility(ctx, hidden, t.Message)
	if err != nil {
		w.Logger.DebugContext(ctx, "visibility of an attempt's message not set", "message_id", t.ID, "error", err)
	}
	return err
}

// errNotHidden says that the message of an attempt is visible to others already.
var errNotHidden = errors.New("worker: the message of the attempt is not hidden from others")
