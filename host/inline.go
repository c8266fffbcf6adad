package host

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// answerInline runs an inline activity and adds its result to the draft, not
// yet visited by the code: the result is committed before the code goes on, so
// that a result that the code has seen never runs again.
func (t *turn) answerInline(ctx context.Context, d *draft, call engine.InlineCall) error {
	if err := t.checkKilled(ctx); err != nil {
		return err
	}
	e := t.runInline(ctx, call)
	in, err := t.input(nil, true)
	if err != nil {
		return err
	}
	in.Arrivals = []engine.Arrival{{Event: e, Inline: true}}
	out, err := t.x.Run(in)
	if err != nil {
		return err
	}
	if len(out.Verdicts) != 1 || out.Verdicts[0].Kind != engine.Recorded {
		return fmt.Errorf("host: result of inline activity %d of instance %q execution %d was not recorded", call.EventID, t.group.instance, t.execution)
	}
	d.append(&out)
	return nil
}

// checkKilled looks at the record before code runs that only a wake may run.
// An instance that was read without its record may be one whose turn killed
// its process.
func (t *turn) checkKilled(ctx context.Context) error {
	if t.described || t.creating || t.warm {
		return nil
	}
	if err := t.describe(ctx); err != nil {
		return err
	}
	if t.record == nil || t.record.ExecutionID != t.execution {
		return errRebuild
	}
	if t.record.Problem != nil && t.record.Problem.Kind == problemKilled {
		return errRebuild
	}
	return nil
}

// runInline runs the attempts of an inline activity. Its context ends in time
// before the invocation does, and that is a failed attempt like any other; a
// retry whose delay does not fit into the invocation is not made.
func (t *turn) runInline(ctx context.Context, call engine.InlineCall) history.Event {
	retry := call.Retry
	if retry == nil {
		retry = &history.Retry{}
	}
	info := activity.Info{Name: call.Name, Instance: t.group.instance, ExecutionID: t.execution, EventID: call.EventID,
		Delivery: 1, ScheduledAt: time.UnixMilli(call.AtMS), Inline: true,
		IdempotencyKey: idempotencyKey(t.group.instance, t.execution, call.EventID)}
	for n := 1; ; n++ {
		info.Attempt = n
		result, failure := t.attemptInline(ctx, info, call.Input, retry)
		if failure == nil {
			return history.Event{Kind: history.ActivityCompleted, SourceEventID: call.EventID, Payload: result}
		}
		if activity.Retryable(retry, failure, n) {
			share, err := t.random.share()
			if delay := activity.Delay(retry, n+1, share); err == nil && hasTime(ctx, t.Clock, delay+t.Settings.InlineTime) && wait(ctx, t.Clock, delay) == nil {
				continue
			}
		}
		return history.Event{Kind: history.ActivityFailed, SourceEventID: call.EventID, Failure: failure}
	}
}

func (t *turn) attemptInline(ctx context.Context, info activity.Info, input []byte, retry *history.Retry) ([]byte, *history.Failure) {
	a, err := t.Inline.Lookup(info.Name)
	if err != nil {
		return nil, &history.Failure{Kind: history.FailureNotRegistered, Message: err.Error(), Source: info.Name, Attempt: info.Attempt}
	}
	run := attempt{code: a.Func, info: info, input: input, clock: t.Clock, start: t.Go, maxPayload: t.Settings.MaxPayload,
		timeout: attemptTimeout(ctx, t.Clock, retry, t.Settings.AttemptTimeout, t.Settings.ExitTime)}
	began := t.Clock.Now()
	result, failure := run.do(ctx)
	t.Observer.Timing(TimeAttempt, t.Clock.Now().Sub(began))
	t.Observer.Count(CountAttempts, outcomeOf(failure), 1)
	return result, failure
}
