package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
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

// take runs one attempt and sends its answer. If it returns an error, the message returns to the queue.
func (w *Worker) take(ctx context.Context, t *task, alone bool) (err error) {
	if other := w.running.enter(t); other != nil {
		return w.beside(ctx, t, other)
	}
	var again *queue.Message
	entered := true
	leave := func() {
		if entered {
			again, entered = w.running.leave(t.attemptID()), false
		}
	}
	defer func() {
		leave()
		w.left(ctx, again, err == nil)
	}()
	p, instead, err := w.prepare(ctx, t, alone)
	if err != nil {
		return err
	}
	if instead != nil {
		if instead.next != nil {
			// The message that is sent instead may be received before this function returns. It is not a copy of an
			// attempt that runs here.
			leave()
		}
		if err = w.give(ctx, instead); err == nil && instead.completion != nil {
			w.limits.leavesWaitingList(ctx, t)
		}
		return err
	}
	defer w.limits.givePermits(ctx, t, p)
	if len(p.permits) > 0 {
		// Other attempts may wait for its permit, so the attempt is notified of a stop request even if
		// it sends no heartbeat.
		p.Pulse.Look = func(ctx context.Context) (store.ActivityState, error) {
			for _, held := range p.permits {
				w.limits.names(ctx, held.pool, nil, true)
			}
			return w.Stops.State(ctx, t.key())
		}
	}
	w.running.lasts(t.attemptID(), w.Clock.Now().Add(p.Limit.Timeout))
	if err := w.hide(ctx, t, p.Limit.Timeout, p.Pulse); errors.Is(err, queue.ErrReceiptExpired) {
		return fmt.Errorf("%w: %w", errNotHidden, err)
	}
	if w.running.wasAnswered(t.attemptID()) {
		w.Logger.InfoContext(ctx, "attempt that this process has already answered runs again, because its message was delivered again or has a duplicate", attrs(&t.item, "message_id", t.ID, "receive_count", t.ReceiveCount)...)
	}
	startedAt := w.Clock.Now()
	if !p.shorten(startedAt) {
		if p.suspected {
			w.setSuspect(ctx, t, store.Suspect{})
		}
		return errPermitOver
	}
	t.batch.running.Add(1)
	result := p.Do(ctx)
	t.batch.running.Add(-1)
	result.StartedAtMS = startedAt.UnixMilli()
	w.Observer.Timing(host.TimeAttempt, w.Clock.Now().Sub(startedAt))
	w.Observer.Count(host.CountAttempts, result.Outcome(), 1)
	if len(p.permits) == 0 {
		err = w.report(ctx, t, p, &result)
	} else {
		err = w.reportAndGive(ctx, t, p, result)
	}
	if err == nil {
		w.running.answer(t.attemptID())
	}
	if p.suspected {
		w.setSuspect(ctx, t, store.Suspect{})
	}
	return err
}

// report sends the result of an attempt.
func (w *Worker) report(ctx context.Context, t *task, p *prepared, result *attempt.Result) error {
	if result.Failure != nil {
		p.Pulse.Flush(ctx)
	}
	err := w.finish(ctx, t, result)
	if err == nil {
		w.settleClaim(ctx, t, p.claim, result)
	}
	return err
}

// reportAndGive sends the result of an attempt and, at the same time, returns its permits.
func (w *Worker) reportAndGive(ctx context.Context, t *task, p *prepared, result attempt.Result) (err error) {
	var next atomic.Int32
	w.Together(2, func() {
		if next.Add(1) == 1 {
			w.limits.givePermits(ctx, t, p)
		} else {
			err = w.report(ctx, t, p, &result)
		}
	})
	return err
}

// prepared is an attempt that this process runs.
type prepared struct {
	attempt.Attempt
	// claim is the token with which the attempt was claimed; empty for none.
	claim string
	// suspected is set if the attempt has a suspect record.
	suspected bool
	// permits are the permits that the attempt holds; asked is when it asked for the first permit.
	permits []permit
	asked   time.Time
}

// prepare decides whether the attempt starts, and otherwise returns what to send instead.
func (w *Worker) prepare(ctx context.Context, t *task, alone bool) (p *prepared, instead *answer, err error) {
	item, now := &t.item, w.Clock.Now()
	if instead := notStarted(item, now); instead != nil {
		return nil, instead, nil
	}
	if !clock.HasTime(ctx, w.Clock, w.Settings.Attempt.MinRemaining) {
		return nil, nil, fmt.Errorf("too little time is left in the invocation: %w", context.DeadlineExceeded)
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
		w.Logger.WarnContext(ctx, "activity is not registered in this build; its attempt is requeued until a build that has it receives it", attrs(item, "error", err)...)
		return nil, w.requeued(item, now, history.FailureNotRegistered), nil
	}
	if instead, err := w.open(ctx, t, &state.Beat); instead != nil || err != nil {
		return nil, instead, err
	}
	p = &prepared{Attempt: w.attempt(ctx, t, code, state.Beat)}
	if instead, err = w.limits.permits(ctx, t, p); instead != nil || err != nil {
		return nil, instead, err
	}
	if instead, err = w.start(ctx, t, p, state.Suspect, alone); instead != nil || err != nil {
		w.limits.givePermits(ctx, t, p)
	}
	return p, instead, err
}

// notStarted returns the answer for an attempt that is not due, or whose total timeout has passed; nil if it may start.
func notStarted(item *wire.Item, now time.Time) *answer {
	if due := time.UnixMilli(item.NotBeforeMS); item.NotBeforeMS > 0 && due.After(now) {
		return later(*item, due)
	}
	scheduled := time.UnixMilli(item.ScheduledAtMS)
	if end, bounded := attempt.TotalEnd(item.Retry, scheduled); bounded && !end.After(now) {
		f := attempt.TotalFailure(item.Name, item.Attempt-1, end.Sub(scheduled), item.Details.History())
		return failedUnstarted(item, f)
	}
	return nil
}

// known reads the stored state of an activity: a request to stop, its last heartbeat, and its suspect record. The first
// delivery of the first attempt skips the read if it starts so soon that only a stop request could exist, because that
// case is not worth a read.
func (w *Worker) known(ctx context.Context, t *task, now time.Time) (store.ActivityState, error) {
	age := now.Sub(time.UnixMilli(t.item.ScheduledAtMS)).Abs() // The time is from the clock of another process, which may be ahead.
	if t.item.Attempt <= 1 && t.item.Hops == 0 && t.ReceiveCount <= 1 && !delivery.Redriven(&t.Message) && age < w.Settings.Attempt.CancelCheckAfter {
		return store.ActivityState{}, nil
	}
	state, err := w.Stops.State(ctx, t.key())
	if err != nil {
		err = fmt.Errorf("could not read the state of the activity: %w", err)
	}
	return state, err
}

// requeued requeues an attempt that this build cannot run, until a build that can run it receives
// it. The total timeout still applies.
func (w *Worker) requeued(item *wire.Item, now time.Time, why string) *answer {
	first, longest := w.Settings.Attempt.UnknownFirst, w.Settings.Attempt.UnknownMax
	if why == delayedForCodec {
		first, longest = w.Settings.Messages.NewerFirst, w.Settings.Messages.NewerMax
	}
	a := again(item, now, now.Add(backoff.Grown(first, longest, item.Hops)), why)
	switch since := time.UnixMilli(item.FirstSeenMS); {
	case item.FirstSeenMS == 0:
		a.next.FirstSeenMS = now.UnixMilli()
	case now.Sub(since) >= delivery.HeldUp && why != notServed: // An attempt whose queue is not served was reported at once.
		w.Observer.Count(host.CountHeldUp, why, 1)
	}
	return a
}

// again requeues an attempt until due, or until its total timeout if that is earlier.
func again(item *wire.Item, now, due time.Time, why string) *answer {
	next := *item
	next.Hops++
	if why != delayedForCodec {
		// The attempt may wait longer than an item exists, so the item's age starts again.
		next.SentMS = now.UnixMilli()
	}
	if end, bounded := attempt.TotalEnd(item.Retry, time.UnixMilli(item.ScheduledAtMS)); bounded && due.After(end) {
		due = end
	}
	a := later(next, due)
	a.delayed = why
	return a
}

// delayedForCodec counts attempts that are encoded by a codec that this build does not have.
const delayedForCodec = "codec"

// open decodes the input of an attempt and the details of the last heartbeat. If this build lacks the codec, the attempt
// is requeued for a build that has it. If the input is corrupt, the activity fails. Corrupt details are dropped, because
// the attempt can run without them.
func (w *Worker) open(ctx context.Context, t *task, beat *store.Heartbeat) (instead *answer, err error) {
	item, key := &t.item, t.key()
	opened, err := w.Codecs.DecodeHeartbeat(key, *beat)
	if err != nil && !edge.MissesCodec(err) {
		w.Logger.WarnContext(ctx, "details of the last heartbeat dropped", "instance", key.Instance, "event_id", key.EventID, "error", err)
		opened, err = store.Heartbeat{Attempt: beat.Attempt, At: beat.At}, nil
	}
	if *beat = opened; err == nil {
		err = w.edge.Open(item)
	}
	switch {
	case err == nil:
		return nil, nil
	case edge.MissesCodec(err):
		w.Logger.WarnContext(ctx, "attempt is encoded by a codec that this build does not have; it is requeued until a build that has the codec receives it", attrs(item, "error", err)...)
		return w.requeued(item, w.Clock.Now(), delayedForCodec), nil
	}
	return failedUnstarted(item, history.Failure{Kind: history.FailureInvalidInput, Source: item.Name, Attempt: item.Attempt, Message: err.Error()}), nil
}

// attempt returns the run of the activity's code that a message requests.
func (w *Worker) attempt(ctx context.Context, t *task, code activities.Activity, beat store.Heartbeat) attempt.Attempt {
	item := &t.item
	scheduled := time.UnixMilli(item.ScheduledAtMS)
	return attempt.Attempt{Code: code.Func, Final: code.Final, Input: item.Input, Clock: w.Clock, Go: w.Go, MaxPayload: w.Settings.Limits.Result,
		Limit: attempt.LimitOf(ctx, w.Clock, item.Retry, scheduled, w.Settings.Attempt.Timeout, w.Settings.Attempt.ExitTime),
		Pulse: w.pulse(t),
		Info: activities.Info{Encoded: w.Codecs != nil, Name: item.Name, Instance: item.Instance, ExecutionID: item.ExecutionID, EventID: item.SchedulingEventID,
			Number: item.Attempt, Delivery: max(t.ReceiveCount, 1), ScheduledAt: scheduled, Heartbeat: beat.Details,
			IdempotencyKey: idempotencyKey(item),
			Headers:        item.Headers, CompletionToken: wire.ActivityToken{Instance: item.Instance, ExecutionID: item.ExecutionID,
				EventID: item.SchedulingEventID, Token: item.Token}.String()}}
}

// idempotencyKey derives the key from the execution that scheduled the activity. If a redrive
// copied the activity while it was open, the key derives from the execution from which it was
// copied.
func idempotencyKey(item *wire.Item) string {
	if o := item.Origin; o != nil && o.ExecutionID > 0 {
		return attempt.IdempotencyKey(cmp.Or(o.Instance, item.Instance), o.ExecutionID, item.SchedulingEventID)
	}
	return attempt.IdempotencyKey(item.Instance, item.ExecutionID, item.SchedulingEventID)
}

// pulse returns the receiver of an attempt's heartbeats.
func (w *Worker) pulse(t *task) *attempt.Pulse {
	p := &attempt.Pulse{Interval: w.Settings.Attempt.HeartbeatInterval, Logger: w.Logger}
	p.Record = func(ctx context.Context, details []byte) (store.ActivityState, error) {
		if len(details) > w.Settings.Limits.Result {
			return store.ActivityState{}, fmt.Errorf("worker: details of a heartbeat too large: %d bytes; the limit is %d", len(details), w.Settings.Limits.Result)
		}
		now := w.Clock.Now()
		beat, err := w.Codecs.EncodeHeartbeat(t.key(), store.Heartbeat{Attempt: t.item.Attempt, At: now, Details: details})
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

// hide keeps the message hidden for as long as the attempt may run, or until shortly after its next
// heartbeat is due. So if this process dies, the message soon becomes visible, and not only after
// the queue's visibility timeout. If the policy has neither limit and the queue's visibility
// timeout is long enough, no call is made. After the attempt has ended, its batch handles the
// message.
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
		w.Logger.DebugContext(ctx, "could not set the visibility timeout of an attempt's message", "message_id", t.ID, "error", err)
	}
	return err
}

// errNotHidden means that the message of an attempt may already be visible to other processes.
var errNotHidden = errors.New("worker: another process may hold the message of the attempt")
