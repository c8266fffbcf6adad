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
	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// attempt is one run of an activity's code.
type attempt struct {
	code  activity.Func
	final func(error) bool
	info  activity.Info
	input []byte
	limit attemptLimit
	// pulse takes heartbeats; nil where nobody wants any.
	pulse      *pulse
	maxPayload int
	clock      clock.Clock
	start      func(func())
}

// attemptResult is what came of an attempt: a result, a failure, or neither
// yet.
type attemptResult struct {
	result  []byte
	failure *history.Failure
	// pending: the activity will be completed by its token.
	pending bool
	// delay until the next attempt, if the error asked for one.
	delay *time.Duration
	// startedAtMS is when the attempt began; 0 where none did.
	startedAtMS int64
}

// timeUp is the cause for which an attempt's context ends when it is out of
// time: the failure as which the attempt then counts.
type timeUp struct{ failure history.Failure }

func (e *timeUp) Error() string { return e.failure.Message }

// Is makes it a context.DeadlineExceeded, as which code expects it.
func (e *timeUp) Is(target error) bool { return target == context.DeadlineExceeded }

// do runs the attempt. When its time is over its context ends, and what it
// returns later is ignored; a panic is a failed attempt with its stack.
func (a *attempt) do(ctx context.Context) attemptResult {
	a.info.Deadline = a.clock.Now().Add(a.limit.timeout)
	ctx, cancel := context.WithCancelCause(activity.NewContext(ctx, a.info))
	defer cancel(nil)
	expired := make(chan *timeUp, 1)
	expire := func(f history.Failure) {
		up := &timeUp{f}
		cancel(up)
		select {
		case expired <- up:
		default: // another limit was first
		}
	}
	stop := a.clock.AfterFunc(a.limit.timeout, func() { expire(a.limit.failure(&a.info)) })
	defer stop()
	if a.pulse != nil {
		a.pulse.begin(a, expire, cancel)
		defer a.pulse.end()
		ctx = activity.WithPulse(ctx, a.pulse.beat)
	}
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
	case up := <-expired:
		// What it returns from now on is ignored, an error that only says that
		// its context has ended above all.
		r.failure = &up.failure
	}
	a.explain(ctx, &r)
	return r
}

// explain gives a failure its cause: an attempt that fails once its context
// has ended fails for that reason, whatever its code made of it.
func (a *attempt) explain(ctx context.Context, r *attemptResult) {
	if r.failure == nil {
		return
	}
	cause := context.Cause(ctx)
	if up, ok := errors.AsType[*timeUp](cause); ok {
		f := up.failure
		r.failure, r.delay = &f, nil
	} else if stopped, ok := errors.AsType[*activity.StoppedError](cause); ok && r.failure.Kind != history.FailurePanic {
		r.failure = &history.Failure{Kind: history.FailureCancelled, Message: stopped.Error() + "; it ended with: " + r.failure.Message}
	}
	r.failure.Attempt = a.info.Attempt
	if r.failure.Source == "" {
		r.failure.Source = a.info.Name
	}
	boundFailure(r.failure, a.maxPayload)
}

// call runs the code on this goroutine.
func (a *attempt) call(ctx context.Context, r *attemptResult) {
	returned := false
	defer func() {
		if returned {
			return
		}
		f := &history.Failure{Kind: history.FailurePanic, Retryable: true, Stack: engine.AuthorsStack(string(debug.Stack()))}
		if v := recover(); v != nil {
			f.Message = fmt.Sprintf("panic in activity %q: %s", a.info.Name, a.panicText(v))
		} else {
			f.Message = fmt.Sprintf("activity %q ended its goroutine (runtime.Goexit)", a.info.Name)
		}
		r.failure = f
	}()
	result, err := a.code(ctx, a.input)
	returned = true
	switch {
	case errors.Is(err, activity.ErrPending) && a.info.CompletionToken != "":
		r.pending = true
	case errors.Is(err, activity.ErrPending):
		r.failure = &history.Failure{Kind: history.FailureApplication, Message: fmt.Sprintf(
			"activity %q returned ErrPending, but runs inline, where nobody can complete it: schedule it with Call or Start", a.info.Name)}
	case err != nil:
		r.failure = activity.FailureOf(err)
		if a.final != nil && a.final(err) {
			r.failure.Retryable = false
		}
		if d, ok := activity.RetryDelayOf(err); ok {
			r.delay = &d
		}
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

// idempotencyKey is the same for all attempts and deliveries of one scheduling
// event, and different for all others.
func idempotencyKey(instance string, execution, eventID int64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %s", execution, eventID, instance)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// outcomeOf is the word that an attempt is counted under.
func outcomeOf(r *attemptResult) string {
	switch {
	case r.pending:
		return "pending"
	case r.failure != nil:
		return r.failure.Kind
	}
	return "completed"
}
