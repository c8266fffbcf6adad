// Package attempt runs the code of an activity once, within its time limits, and returns its result
// and the attempt that follows.
package attempt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/marks"
	"github.com/turnstile-go/turnstile/internal/panics"
)

// Attempt is one run of an activity's code.
type Attempt struct {
	Code activities.Func
	// Final reports which of the code's errors must not be retried; nil for none.
	Final func(error) bool
	// Info is passed to the code; Do sets the deadline.
	Info  activities.Info
	Input []byte
	Limit Limit
	// Pulse receives heartbeats; nil if they are not recorded.
	Pulse *Pulse
	// MaxPayload is the size of the largest result, in bytes.
	MaxPayload int
	Clock      clock.Clock
	// Go starts the goroutine on which the code runs.
	Go func(func())
}

// Result is the outcome of an attempt: an output, a failure, or neither yet.
type Result struct {
	Output  []byte
	Failure *history.Failure
	// Pending is set if the activity will be completed by its token.
	Pending bool
	// Delay before the next attempt, if the error requests one.
	Delay *time.Duration
	// StartedAtMS is when the attempt started; 0 if it did not.
	StartedAtMS int64
}

// timeUp is the cancellation cause of the context of an attempt that is out of time. It contains
// the failure of the attempt.
type timeUp struct{ failure history.Failure }

func (e *timeUp) Error() string { return e.failure.Message }

// Is makes the error match context.DeadlineExceeded, which code expects.
func (e *timeUp) Is(target error) bool { return target == context.DeadlineExceeded }

// Do runs the attempt. When its time expires, its context is cancelled and a later result is
// ignored. A panic fails the attempt, and the failure has its stack.
func (a *Attempt) Do(ctx context.Context) Result {
	a.Info.Deadline = a.Clock.Now().Add(a.Limit.Timeout)
	ctx, cancel := context.WithCancelCause(activities.NewContext(ctx, a.Info))
	defer cancel(nil)
	ended := make(chan Result, 1)
	end := func(r Result) {
		select {
		case ended <- r:
		default: // The attempt has already ended, so later results are ignored.
		}
	}
	expire := func(f history.Failure) {
		up := &timeUp{f}
		cancel(up)
		end(Result{Failure: &up.failure})
	}
	stop := a.Clock.AfterFunc(a.Limit.Timeout, func() { expire(a.Limit.failure(&a.Info)) })
	defer stop()
	if a.Pulse != nil {
		a.Pulse.start(ctx, made{a, expire, cancel})
		defer a.Pulse.end()
		ctx = activities.WithPulse(ctx, a.Pulse.beat)
	}
	a.Go(func() {
		var r Result
		// Deferred because the code may end its goroutine.
		defer func() { end(r) }()
		a.call(ctx, &r)
	})
	r := <-ended
	a.explain(ctx, &r)
	return r
}

// explain sets the cause of a failure. If an attempt fails after its context was cancelled, the
// cause is the cancellation, whatever error the code returned.
func (a *Attempt) explain(ctx context.Context, r *Result) {
	if r.Failure == nil {
		return
	}
	cause := context.Cause(ctx)
	if up, ok := errors.AsType[*timeUp](cause); ok {
		f := up.failure
		r.Failure, r.Delay = &f, nil
	} else if stopped, ok := errors.AsType[*activities.StoppedError](cause); ok && r.Failure.Kind != history.FailurePanic {
		r.Failure = &history.Failure{Kind: history.FailureCancelled, Message: stopped.Error() + "; it ended with: " + r.Failure.Message}
	}
	r.Failure.Attempt = a.Info.Number
	if r.Failure.Source == "" {
		r.Failure.Source = a.Info.Name
	}
	boundFailure(r.Failure, a.MaxPayload)
}

// call runs the code on this goroutine.
func (a *Attempt) call(ctx context.Context, r *Result) {
	returned := false
	defer func() {
		if returned {
			return
		}
		f := &history.Failure{Kind: history.FailurePanic, Retryable: true, Stack: panics.Stack(string(debug.Stack()))}
		if v := recover(); v != nil {
			f.Message = fmt.Sprintf("panic in activity %q: %s", a.Info.Name, edge.PanicText(v, a.Info.Encoded))
		} else {
			f.Message = fmt.Sprintf("activity %q ended its goroutine (runtime.Goexit)", a.Info.Name)
		}
		r.Failure = f
	}()
	result, err := a.Code(ctx, a.Input)
	switch {
	case errors.Is(err, activities.ErrPending) && a.Info.CompletionToken != "":
		r.Pending = true
	case errors.Is(err, activities.ErrPending):
		r.Failure = &history.Failure{Kind: history.FailureApplication, Message: fmt.Sprintf(
			"activity %q returned ErrPending, but an inline activity cannot be completed by its token: schedule it with Call or Start", a.Info.Name)}
	case err != nil:
		r.Failure = activities.FailureOf(err)
		if a.Final != nil && a.Final(err) {
			r.Failure.Retryable = false
		}
		if d, ok := marks.Delay(err); ok {
			r.Delay = &d
		}
	case len(result) > a.MaxPayload:
		r.Failure = &history.Failure{Kind: history.FailureTooLarge, Message: fmt.Sprintf(
			"result too large: %d bytes; the limit is %d; store it and return a reference", len(result), a.MaxPayload)}
	case len(result) > 0 && !json.Valid(result):
		r.Failure = &history.Failure{Kind: history.FailureApplication, Message: "the activity's result is not JSON"}
	default:
		r.Output = result
	}
	returned = true // set only now, because a method of the error may panic
}

// The longest texts of a failure, in bytes.
const (
	maxFailureMessage = 8 << 10
	maxFailureStack   = 16 << 10
)

// boundFailure cuts texts that are too long, and marks them as cut.
func boundFailure(f *history.Failure, maxPayload int) {
	f.Message, f.Stack = edge.Cut(f.Message, maxFailureMessage), edge.Cut(f.Stack, maxFailureStack)
	f.Code, f.Source = edge.Cut(f.Code, maxFailureMessage), edge.Cut(f.Source, maxFailureMessage)
	if len(f.Details) > maxPayload {
		f.Details = []byte(`"details left out: too large"`)
	}
}

// IdempotencyKey returns a key that is the same for all attempts and deliveries of one scheduling
// event, and different for different events.
func IdempotencyKey(instance string, execution, eventID int64) string {
	b := make([]byte, 0, 128)
	b = append(strconv.AppendInt(b, execution, 10), ' ')
	b = append(strconv.AppendInt(b, eventID, 10), ' ')
	sum := sha256.Sum256(append(b, instance...))
	return hex.EncodeToString(sum[:16])
}

// Outcome returns the name under which metrics count the attempt.
func (r *Result) Outcome() string {
	switch {
	case r.Pending:
		return "pending"
	case r.Failure != nil:
		return r.Failure.Kind
	}
	return "completed"
}

// Limit is the time that one attempt may take.
type Limit struct {
	Timeout time.Duration
	// total is the time limit of all attempts together, if that limit applies to this attempt; 0
	// otherwise.
	total time.Duration
}

// LimitOf returns the time that an attempt may take: its policy's timeout or the fallback, but at
// most the rest of the invocation minus exit, and at most the rest of the total timeout.
func LimitOf(ctx context.Context, c clock.Clock, r *history.Retry, scheduled time.Time, fallback, exit time.Duration) Limit {
	l := Limit{Timeout: fallback}
	if r != nil && r.TimeoutMS > 0 {
		l.Timeout = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	if left, bounded := clock.Left(ctx, c); bounded {
		l.Timeout = min(l.Timeout, left-exit)
	}
	if end, bounded := TotalEnd(r, scheduled); bounded {
		if left := end.Sub(c.Now()); left <= l.Timeout {
			l.Timeout, l.total = left, time.Duration(r.TotalTimeoutMS)*time.Millisecond
		}
	}
	l.Timeout = max(l.Timeout, 0)
	return l
}

// failure returns the failure of an attempt that reached the limit.
func (l *Limit) failure(info *activities.Info) history.Failure {
	if l.total > 0 {
		return TotalFailure(info.Name, info.Number, l.total, nil)
	}
	return history.Failure{Kind: history.FailureTimeout, Retryable: true,
		Message: fmt.Sprintf("attempt %d of activity %q did not return within %s", info.Number, info.Name, l.Timeout)}
}

// TotalEnd returns when the total timeout of all attempts expires.
func TotalEnd(r *history.Retry, scheduled time.Time) (time.Time, bool) {
	if r == nil || r.TotalTimeoutMS <= 0 {
		return time.Time{}, false
	}
	return scheduled.Add(time.Duration(r.TotalTimeoutMS) * time.Millisecond), true
}

// TotalFailure returns the failure of an activity whose TotalTimeout has expired.
func TotalFailure(name string, attempts int, total time.Duration, last *history.Failure) history.Failure {
	f := history.Failure{Kind: history.FailureTotalTimeout, Source: name, Attempt: attempts,
		Message: fmt.Sprintf("activity %q did not complete within its TotalTimeout of %s", name, total)}
	if last != nil {
		f.Message += fmt.Sprintf("; attempt %d failed: %s", last.Attempt, last.Message)
		f.Code, f.Details = last.Code, last.Details
	}
	return f
}
