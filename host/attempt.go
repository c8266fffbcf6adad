package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/history"
)

// attempt is one run of an activity's code.
type attempt struct {
	code       activity.Func
	info       activity.Info
	input      []byte
	timeout    time.Duration
	maxPayload int
	clock      Clock
	start      func(func())
}

// errAttemptTimeout ends the context of an attempt that is out of time.
var errAttemptTimeout = errors.New("the attempt's timeout has passed")

type attemptResult struct {
	result  []byte
	failure *history.Failure
}

// do runs the attempt. When its time is over its context ends, and what it
// returns later is ignored; a panic is a failed attempt with its stack.
func (a *attempt) do(ctx context.Context) ([]byte, *history.Failure) {
	ctx, cancel := context.WithCancelCause(activity.NewContext(ctx, a.info))
	defer cancel(nil)
	expired := make(chan struct{})
	stop := a.clock.AfterFunc(a.timeout, func() {
		close(expired)
		cancel(errAttemptTimeout)
	})
	defer stop()
	done := make(chan attemptResult, 1)
	a.start(func() {
		var r attemptResult
		// Deferred, for the code may end its goroutine.
		defer func() { done <- r }()
		a.call(ctx, &r)
	})
	var r attemptResult
	select {
	case r = <-done:
	case <-expired:
		// What it returns from now on is ignored, an error that only says that
		// its context has ended above all.
		r.failure = &history.Failure{}
	}
	if r.failure != nil && closed(expired) {
		r.failure = &history.Failure{Kind: history.FailureTimeout, Retryable: true,
			Message: fmt.Sprintf("attempt %d of activity %q did not return within %s", a.info.Attempt, a.info.Name, a.timeout)}
	}
	if r.failure != nil {
		r.failure.Attempt = a.info.Attempt
		if r.failure.Source == "" {
			r.failure.Source = a.info.Name
		}
		boundFailure(r.failure, a.maxPayload)
	}
	return r.result, r.failure
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// call runs the code on this goroutine.
func (a *attempt) call(ctx context.Context, r *attemptResult) {
	returned := false
	defer func() {
		if returned {
			return
		}
		f := &history.Failure{Kind: history.FailurePanic, Retryable: true, Stack: string(debug.Stack())}
		if v := recover(); v != nil {
			f.Message = fmt.Sprintf("panic in activity %q: %v", a.info.Name, v)
		} else {
			f.Message = fmt.Sprintf("activity %q ended its goroutine (runtime.Goexit)", a.info.Name)
		}
		r.failure = f
	}()
	result, err := a.code(ctx, a.input)
	returned = true
	switch {
	case err != nil:
		r.failure = activity.FailureOf(err)
	case len(result) > a.maxPayload:
		r.failure = &history.Failure{Kind: history.FailureTooLarge, Message: fmt.Sprintf(
			"result too large: %d bytes, the limit is %d; store it and return a reference", len(result), a.maxPayload)}
	case len(result) > 0 && !json.Valid(result):
		r.failure = &history.Failure{Kind: history.FailureApplication, Message: "the activity's result is not JSON"}
	default:
		r.result = result
	}
}

// Longest texts of a failure, in bytes.
const (
	maxFailureMessage = 8 << 10
	maxFailureStack   = 16 << 10
)

// boundFailure cuts over-long texts, and marks them as cut.
func boundFailure(f *history.Failure, maxPayload int) {
	f.Message, f.Stack = cut(f.Message, maxFailureMessage), cut(f.Stack, maxFailureStack)
	f.Code, f.Source = cut(f.Code, maxFailureMessage), cut(f.Source, maxFailureMessage)
	if len(f.Details) > maxPayload {
		f.Details = []byte(`"details left out: too large"`)
	}
}

// attemptTimeout returns what one attempt may take: its policy's limit or the
// default, at most what is left of the invocation but for the time to end it.
func attemptTimeout(ctx context.Context, c Clock, r *history.Retry, fallback, exit time.Duration) time.Duration {
	limit := fallback
	if r != nil && r.TimeoutMS > 0 {
		limit = time.Duration(r.TimeoutMS) * time.Millisecond
	}
	if left, bounded := timeLeft(ctx, c); bounded {
		limit = min(limit, left-exit)
	}
	return max(limit, 0)
}

// idempotencyKey is the same for all attempts and deliveries of one scheduling
// event, and different for all others.
func idempotencyKey(instance string, execution, eventID int64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %s", execution, eventID, instance)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// outcomeOf is the word that an attempt is counted under.
func outcomeOf(f *history.Failure) string {
	if f == nil {
		return "completed"
	}
	return f.Kind
}
