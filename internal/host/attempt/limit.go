package attempt

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
)

// Limit is the time that one attempt may take.
type Limit struct {
	Timeout time.Duration
	// total is the time limit of all attempts together, if that limit is the one that applies to
	// this attempt; 0 otherwise.
	total time.Duration
}

// LimitOf returns the time that an attempt may take: its policy's timeout or the fallback, but no
// more than the rest of the invocation minus exit, and no more than the rest of the total timeout.
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
