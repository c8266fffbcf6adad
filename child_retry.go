package turnstile

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
)

// startWithRetry starts a branch that runs the attempts of a child, one after the other.
func (o Orchestration[In, Out]) startWithRetry(ctx Context, in In) Future[Out] {
	policy := *o.options.retry
	once, id := o, o.options.instance
	once.options.retry = nil
	f := goFrom(ctx.engine("Orchestration.Start"), origin(), func(ctx Context) (Out, error) {
		for attempt := 1; ; attempt++ {
			if attempt > 1 && id != "" {
				once.options.instance = fmt.Sprintf("%s/%d", id, attempt)
			}
			child := once.Start(ctx, in)
			out, err := child.Await(ctx)
			if err == nil || attempt >= policy.MaxAttempts || !policy.retries(err) {
				return out, err
			}
			var r history.Retry
			policy.record(&r)
			delay := activities.Delay(&r, attempt+1, shareOf(ctx, child.EventID()))
			if err := Sleep(ctx, min(delay, MaxTimer)); err != nil {
				return out, err
			}
		}
	})
	f.kind, f.name = ofChild, o.name
	return f
}

// retries reports whether another attempt follows a child that failed with err.
func (p *RetryPolicy) retries(err error) bool {
	failed, isChild := errors.AsType[*ChildError](err)
	if !isChild {
		return false
	}
	switch failed.Kind {
	case KindCancelled, KindTerminated, KindAlreadyExists, KindPurged, KindInvalidInput:
		return false
	case KindApplication:
		if !failed.Retryable && failed.Source == failed.Orchestration {
			return false // The child's own code marked the error. A mark on the error of an activity does not apply to the child.
		}
	}
	return failed.Code == "" || !slices.Contains(p.NonRetryableCodes, failed.Code)
}

// shareOf returns the random share of a delay: at least 0 and less than 1, the same on every
// replay, and different for other instances and events.
func shareOf(ctx Context, eventID int64) float64 {
	info := ctx.engine("Retry").Info()
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", info.ExecutionID, eventID, info.Instance))
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}
