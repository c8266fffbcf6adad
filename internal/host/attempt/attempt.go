// Package attempt runs the code of an activity once, within its time limits, and says
// what came of it and which attempt follows.
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

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/marks"
)

// Attempt is one run of an activity's code.
type Attempt struct {
	Code activities.Func
	// Final says which of its errors are not to be tried again; nil for none.
	Final func(error) bool
	// Info that the code sees; Do adds the deadline.
	Info  activities.Info
	Input []byte
	Limit Limit
	// Pulse takes heartbeats; nil if they are not recorded.
	Pulse *Pulse
	// MaxPayload is the longest result, in bytes.
	MaxPayload int
	Clock      clock.Clock
	// Go starts the goroutine on which the code runs.
	Go func(func())
}

// Result is what came of an attempt: a result, a failure, or neither
// yet.
type Result struct {
	Output  []byte
	Failure *history.Failure
	// Pending: the activity will be completed by its token.
	Pending bool
	// Delay until the next attempt, if the error asked for one.
	Delay *time.Duration
	// StartedAtMS is when the attempt began; 0 where none did.
	StartedAtMS int64
}

// timeUp is the cause for which an attempt's context ends when it is out of
// time: the failure as which the attempt then counts.
type timeUp struct{ failure history.Failure }

func (e *timeUp) Error() string { return e.failure.Message }

// Is makes it a context.DeadlineExceeded, as which code expects it.
func (e *timeUp) Is(target error) bool { return target == context.DeadlineExceeded }

// Do runs the attempt. When its time is over its context ends, and what it
// returns later is ignored; a panic is a failed attempt with its stack.
func (a *Attempt) Do(ctx context.Context) Result {
	a.Info.Deadline = a.Clock.Now().Add(a.Limit.Timeout)
	ctx, cancel := context.WithCancelCause(activities.NewContext(ctx, a.Info))
	defer cancel(nil)
	ended := make(chan Result, 1)
	end := func(r Result) {
		select {
		case ended <- r:
		default: // The attempt has ended already, and what its code makes of that is ignored.
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
		a.Pulse.begin(ctx, made{a, expire, cancel})
		defer a.Pulse.end()
		ctx = activities.WithPulse(ctx, a.Pulse.beat)
	}
	a.Go(func() {
		var r Result
		// Deferred, because the code may end its goroutine.
		defer func() { end(r) }()
		a.call(ctx, &r)
	})
	r := <-ended
	a.explain(ctx, &r)
	return r
}

// explain gives a failure its cause: an attempt that fails once its context
// has ended fails for that reason, whatever its code made of it.
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
	r.Failure.Attempt = a.Info.Attempt
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
		f := &history.Failure{Kind: history.FailurePanic, Retryable: true, Stack: engine.AuthorsStack(string(debug.Stack()))}
		if v := recover(); v != nil {
			f.Message = fmt.Sprintf("panic in activity %q: %s", a.Info.Name, edge.PanicText(v, a.Info.Sealed))
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
			"activity %q returned ErrPending, but runs inline, where nobody can complete it: schedule it with Call or Start", a.Info.Name)}
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
			"result too large: %d bytes, the limit is %d; store it and return a reference", len(result), a.MaxPayload)}
	case len(result) > 0 && !json.Valid(result):
		r.Failure = &history.Failure{Kind: history.FailureApplication, Message: "the activity's result is not JSON"}
	default:
		r.Output = result
	}
	returned = true // Not before: a method of the error may panic.
}

// Longest texts of a failure, in bytes.
const (
	maxFailureMessage = 8 << 10
	maxFailureStack   = 16 << 10
)

// boundFailure cuts over-long texts, and marks them as cut.
func boundFailure(f *history.Failure, maxPayload int) {
	f.Message, f.Stack = edge.Cut(f.Message, maxFailureMessage), edge.Cut(f.Stack, maxFailureStack)
	f.Code, f.Source = edge.Cut(f.Code, maxFailureMessage), edge.Cut(f.Source, maxFailureMessage)
	if len(f.Details) > maxPayload {
		f.Details = []byte(`"details left out: too large"`)
	}
}

// IdempotencyKey is the same for all attempts and deliveries of one scheduling
// event, and different for all others.
func IdempotencyKey(instance string, execution, eventID int64) string {
	b := make([]byte, 0, 128)
	b = append(strconv.AppendInt(b, execution, 10), ' ')
	b = append(strconv.AppendInt(b, eventID, 10), ' ')
	sum := sha256.Sum256(append(b, instance...))
	return hex.EncodeToString(sum[:16])
}

// Outcome is the word that an attempt is counted under.
func (r *Result) Outcome() string {
	switch {
	case r.Pending:
		return "pending"
	case r.Failure != nil:
		return r.Failure.Kind
	}
	return "completed"
}
