package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/attempt"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// answerInline runs the inline activities whose results share the draft's
// commit. Those before the last are visited by the code at once. The last is
// not: a result is committed before the code goes on, so that what the code
// has seen and acted on outside of the turn never runs again. It reports whether a
// result waits to be visited.
func (t *turn) answerInline(ctx context.Context, d *draft, q *arrivalQueue) (answered bool, err error) {
	for n := 1; ; n++ {
		call := d.Inline[0]
		if err := t.checkKilled(ctx); err != nil {
			return false, err
		}
		park := n >= batchOf(call)
		result := engine.Arrival{Event: t.runInline(ctx, call), Inline: true}
		d.inline = true
		var behind []*inbox.Message
		if !park {
			behind = q.pending
		}
		in, err := t.input(behind, park)
		if err != nil {
			return false, err
		}
		in.Arrivals = append([]engine.Arrival{result}, in.Arrivals...)
		next, err := t.runOn(ctx, in)
		if err != nil {
			return false, err
		}
		if len(next.Verdicts) == 0 || next.Verdicts[0].Kind != engine.Recorded {
			return false, fmt.Errorf("host: result of inline activity %d of instance %q execution %d was not recorded", call.EventID, t.Instance, t.execution)
		}
		if park {
			d.append(&next)
			return true, nil
		}
		q.sortOut(next.Verdicts[1:])
		d.goOn(&next)
		if d.State != engine.RunInline || d.dispatches() || n >= batchOf(d.Inline[0]) || !clock.HasTime(ctx, t.Clock, t.Settings.Turn.InlineTime) {
			return false, nil
		}
	}
}

// batchOf returns how many results may share a commit with this one.
func batchOf(call engine.InlineCall) int {
	if call.Retry == nil {
		return 0
	}
	return call.Retry.Batch
}

// checkKilled looks at the record before code runs that only a wake may run.
// An instance that was read without its record may be one whose turn killed
// its process.
func (t *turn) checkKilled(ctx context.Context) error {
	if t.Described || t.creating || t.warm {
		return nil
	}
	if err := t.describe(ctx); err != nil {
		return err
	}
	if r := t.Record; r == nil || r.ExecutionID != t.execution || r.Problem != nil && r.Problem.Kind == store.ProblemKilled {
		return errRebuild
	}
	return nil
}

// longestInlineDelay is how long a turn waits for the next attempt of an inline
// activity.
const longestInlineDelay = time.Second

// runInline runs the attempts of an inline activity. Its context ends in time
// before the invocation does, and that is a failed attempt like any other. A
// retry whose delay is long, or does not fit into the invocation, is left to
// the code, which sets a timer for it.
func (t *turn) runInline(ctx context.Context, call engine.InlineCall) history.Event {
	retry := call.Retry
	if retry == nil {
		retry = &history.Retry{}
	}
	info := activity.Info{Sealed: t.Codecs != nil, Name: call.Name, Instance: t.Instance, ExecutionID: t.execution, EventID: call.EventID,
		Delivery: 1, ScheduledAt: time.UnixMilli(call.AtMS), Inline: true,
		IdempotencyKey: attempt.IdempotencyKey(t.Instance, t.execution, cmp.Or(retry.FirstEventID, call.EventID))}
	if s := t.started().Start; s != nil {
		info.Headers = history.MergeHeaders(s.Headers, call.Headers)
	}
	for n := retry.AttemptsMade + 1; ; n++ {
		began := t.Clock.Now().UnixMilli()
		info.Attempt = n
		result, failure := t.attemptInline(ctx, info, call.Input, retry)
		if failure == nil {
			return history.Event{Kind: history.ActivityCompleted, SourceEventID: call.EventID, Payload: result,
				StartedAtMS: began, Attempt: n, RequestID: t.RequestID.Of(ctx)}
		}
		if activity.Retryable(retry, failure, n) {
			share, _ := t.random.Share()
			delay := activity.Delay(retry, n+1, share)
			if delay <= longestInlineDelay && clock.HasTime(ctx, t.Clock, delay+t.Settings.Turn.InlineTime) && clock.Sleep(ctx, t.Clock, delay) == nil {
				continue
			}
			failure.RetryAfterMS = max(delay.Milliseconds(), 1)
		}
		return history.Event{Kind: history.ActivityFailed, SourceEventID: call.EventID, Failure: failure,
			StartedAtMS: began, Attempt: n, RequestID: t.RequestID.Of(ctx)}
	}
}

func (t *turn) attemptInline(ctx context.Context, info activity.Info, input []byte, retry *history.Retry) ([]byte, *history.Failure) {
	a, err := t.Inline.Lookup(info.Name)
	if err != nil {
		return nil, &history.Failure{Kind: history.FailureNotRegistered, Message: err.Error(), Source: info.Name, Attempt: info.Attempt}
	}
	run := attempt.Attempt{Code: a.Func, Final: a.Final, Info: info, Input: input, Clock: t.Clock, Go: t.Go, MaxPayload: t.Settings.Limits.Result,
		Limit: attempt.LimitOf(ctx, t.Clock, retry, info.ScheduledAt, t.Settings.Attempt.Timeout, t.Settings.Attempt.ExitTime)}
	defer t.x.RunsInline(info.Name)()
	began := t.Clock.Now()
	r := run.Do(ctx)
	t.Observer.Timing(host.TimeAttempt, t.Clock.Now().Sub(began))
	t.Observer.Count(host.CountAttempts, r.Outcome(), 1)
	return r.Output, r.Failure
}
