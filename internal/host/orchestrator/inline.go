package orchestrator

import (
	"cmp"
	"context"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/header"
	attempts "github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
)

// longestInlineDelay is the longest time that a turn waits for the next attempt of an inline
// activity.
const longestInlineDelay = time.Second

// runInline runs the attempts of an inline activity. The context of an attempt ends before the
// invocation ends; an attempt that is cut short in this way fails like any other. A retry whose
// delay is long, or does not fit into the invocation, is left to the code, which sets a timer for
// it. If a retry would start after the total timeout, the activity fails at once.
//
// No commit precedes a retry within the turn, so an isolated read checks that no duplicate
// invocation has recorded the result; its error ends the attempt at the turn.
func (a *attempt) runInline(ctx context.Context, call *engine.InlineCall) (history.Event, error) {
	t, retry := &a.turn, call.Retry
	if retry == nil {
		retry = &history.Retry{}
	}
	first := cmp.Or(retry.FirstEventID, call.EventID)
	info := activities.Info{Encoded: a.tables.codecs != nil, Name: call.Name, Instance: t.View.Instance, ExecutionID: t.Running.Execution, EventID: call.EventID,
		Delivery: 1, ScheduledAt: time.UnixMilli(call.AtMS), Inline: true,
		IdempotencyKey: attempts.IdempotencyKey(t.View.Instance, t.Running.Execution, first)}
	s := t.Running.Started().Start
	o := dispatch.KeyOf(s, first)
	if o == nil {
		o = dispatch.KeyOf(s, call.EventID) // Earlier builds copied only the key of the open attempt.
	}
	if o != nil {
		info.IdempotencyKey = attempts.IdempotencyKey(o.Instance, o.ExecutionID, first)
	}
	if s != nil {
		info.Headers = header.Merge(s.Headers, call.Headers)
	}
	end, bounded := attempts.TotalEnd(retry, info.ScheduledAt)
	outOfTime := func(made int, last *history.Failure) *history.Failure {
		f := attempts.TotalFailure(call.Name, made, end.Sub(info.ScheduledAt), last)
		return &f
	}
	for n := retry.AttemptsMade + 1; ; n++ {
		now := a.settler.Clock.Now()
		if bounded && !now.Before(end) {
			return history.Event{Kind: history.ActivityFailed, SourceEventID: call.EventID, Failure: outOfTime(n-1, nil), Attempt: n - 1}, nil
		}
		startedAt := now.UnixMilli()
		info.Number = n
		result, failure := a.attemptInline(ctx, info, call.Input, retry)
		if failure == nil {
			return history.Event{Kind: history.ActivityCompleted, SourceEventID: call.EventID, Payload: result,
				StartedAtMS: startedAt, Attempt: n, RequestID: a.id.Of(ctx)}, nil
		}
		if activities.Retryable(retry, failure, n) {
			share, _ := a.random.Share()
			delay := activities.Delay(retry, n+1, share)
			if outlasts := bounded && !a.settler.Clock.Now().Add(delay).Before(end); outlasts {
				failure = outOfTime(n, failure)
			} else if delay <= longestInlineDelay && a.waits(ctx, delay) {
				if err := a.tables.source.Unmoved(ctx, t.View.Instance, t.Running.Execution, t.Stored()+1); err != nil {
					return history.Event{}, err
				}
				continue
			} else {
				failure.RetryAfterMS = max(delay.Milliseconds(), 1)
			}
		}
		return history.Event{Kind: history.ActivityFailed, SourceEventID: call.EventID, Failure: activities.Settled(retry, failure),
			StartedAtMS: startedAt, Attempt: n, RequestID: a.id.Of(ctx)}, nil
	}
}

// waits waits for the delay of a retry if the invocation has time for the delay and the attempt.
// It checks the time again afterwards, because a process that was paused in the meantime may have
// lost its messages to another process.
func (a *attempt) waits(ctx context.Context, delay time.Duration) bool {
	need := a.settler.Settings.Turn.InlineTime
	return clock.HasTime(ctx, a.settler.Clock, delay+need) && clock.Sleep(ctx, a.settler.Clock, delay) == nil && clock.HasTime(ctx, a.settler.Clock, need)
}

func (a *attempt) attemptInline(ctx context.Context, info activities.Info, input []byte, retry *history.Retry) ([]byte, *history.Failure) {
	code, err := a.code.inline.Lookup(info.Name)
	if err != nil {
		return nil, &history.Failure{Kind: history.FailureNotRegistered, Message: err.Error(), Source: info.Name, Attempt: info.Number}
	}
	run := attempts.Attempt{Code: code.Func, Final: code.Final, Info: info, Input: input, Clock: a.settler.Clock, Go: a.spawn, MaxPayload: a.settler.Settings.Limits.Result,
		Limit: attempts.LimitOf(ctx, a.settler.Clock, retry, info.ScheduledAt, a.settler.Settings.Attempt.Timeout, a.settler.Settings.Attempt.ExitTime)}
	defer a.turn.Running.X.RunsInline(info.Name)()
	startedAt := a.settler.Clock.Now()
	r := run.Do(ctx)
	a.settler.Observer.Timing(host.TimeAttempt, a.settler.Clock.Now().Sub(startedAt))
	a.settler.Observer.Count(host.CountAttempts, r.Outcome(), 1)
	return r.Output, r.Failure
}
