package check

import (
	"math"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// A retry waits, whichever process sends it and whichever way its message takes: the next
// attempt of an activity starts no sooner than its delay after the previous attempt has failed.
// checkDue sees only the sending of the message.
//
// Inline activities are left out: their policy is recorded only when they have ended.

// mostApart is the largest difference between the clocks of two processes, if any is off.
const mostApart = 20 * time.Second

// AsksToWait records that the error of an attempt requests a delay of its own.
func (w *checker) AsksToWait(p *world.Process, info *activities.Info, d time.Duration) {
	if !info.Inline && p.Running != nil {
		note(&w.of(p.Running).asked, making{info.CompletionToken, info.Number}, d)
	}
}

// checkWaits is A-05: an attempt that starts was due.
func (w *checker) checkWaits(p *world.Process, key store.ActivityKey, info *activities.Info) {
	if due, ok := w.due[ledger.Attempt{ActivityKey: key, Number: info.Number}]; ok {
		w.Reached("A-05")
		early := due.Sub(w.Clock.Now())
		if off := w.Faults[fault.Skew] > 0 && early <= mostApart; early > 0 && !off && !w.madeEarly(p, key, info) {
			w.Violate("A-05", "%s starts attempt %d of activity %d of %s/%d, which is due %s later", p.Name,
				info.Number, key.EventID, key.Instance, key.ExecutionID, early)
		}
	}
	if r := w.policyOf(key); r != nil && r.AtMostOnce {
		w.mayFollow(key, info, r, nil) // It may stay silent: it counts as failed before it ends.
	}
}

// attemptFails records when the next attempt is due, if one follows this one, which has ended.
func (w *checker) attemptFails(p *world.Process, info *activities.Info) {
	if p.Dead {
		return
	}
	key, made := keyOf(info), making{info.CompletionToken, info.Number}
	var asked *time.Duration
	if d, ok := w.of(p.Running).asked[made]; ok {
		asked = &d
		delete(w.of(p.Running).asked, made)
	}
	if r := w.policyOf(key); r != nil {
		w.mayFollow(key, info, r, asked)
	}
}

// policyOf returns the policy that the history has for an activity; nil for none.
func (w *checker) policyOf(key store.ActivityKey) *history.Retry {
	x := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)]
	if x == nil || key.EventID < 1 || key.EventID > int64(len(x.Events)) {
		return nil
	}
	return x.Events[key.EventID-1].Retry
}

// mayFollow records the earliest due time of the next attempt, if this one has failed now. Of
// several deliveries of an attempt the first to fail decides.
func (w *checker) mayFollow(key store.ActivityKey, info *activities.Info, r *history.Retry, asked *time.Duration) {
	delay := leastDelay(r, info.Number+1)
	if asked != nil {
		delay = *asked
	}
	due := w.Clock.Now().Add(delay)
	// A queue measures a delay itself. A process that compares with a time in a message, or
	// with the time limit for all attempts, uses its own clock.
	byClock := delay > queue.MaxDelay
	if r.TotalTimeoutMS > 0 {
		scheduled := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)].Events[key.EventID-1].AtMS
		if end := time.UnixMilli(scheduled + r.TotalTimeoutMS); end.Before(due.Add(mostApart)) {
			due, byClock = earlier(due, end), true
		}
	}
	if byClock {
		due = due.Add(-time.Millisecond) // A message has whole milliseconds.
		if w.Faults[fault.Skew] > 0 {
			due = due.Add(-mostApart)
		}
	}
	next := ledger.Attempt{ActivityKey: key, Number: info.Number + 1}
	if before, ok := w.due[next]; ok {
		due = earlier(before, due)
	}
	note(&w.due, next, due)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// leastDelay returns the delay of a policy before an attempt, with the smallest value that
// jitter allows.
func leastDelay(r *history.Retry, attempt int) time.Duration {
	coefficient := r.Coefficient
	if coefficient == 0 {
		coefficient = 2
	}
	ms := float64(r.InitialMS) * math.Pow(coefficient, float64(attempt-2))
	if r.MaxMS > 0 {
		ms = min(ms, float64(r.MaxMS))
	}
	return time.Duration(ms * (1 - r.Jitter) * float64(time.Millisecond))
}
