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

// A retry waits, whoever sends it and whichever way its message goes: the next attempt of an
// activity begins no sooner than its delay after the attempt before has failed. checkDue sees
// only the sending of the message.
//
// Inline activities are left out: their policy is recorded only when they are over.

// mostApart is how much the clocks of two processes differ at most, where any is off.
const mostApart = 20 * time.Second

// AsksToWait notes that the error of an attempt asks for a delay of its own.
func (w *checker) AsksToWait(p *world.Process, info *activities.Info, d time.Duration) {
	if !info.Inline && p.Running != nil {
		note(&w.of(p.Running).asked, making{info.CompletionToken, info.Attempt}, d)
	}
}

// checkWaits is A-05: an attempt that begins was due.
func (w *checker) checkWaits(p *world.Process, key store.ActivityKey, info *activities.Info) {
	if due, ok := w.due[ledger.Attempt{ActivityKey: key, Number: info.Attempt}]; ok {
		w.Reached("A-05")
		early := due.Sub(w.Clock.Now())
		if off := w.Faults[fault.Skew] > 0 && early <= mostApart; early > 0 && !off && !w.madeEarly(p, key, info) {
			w.Violate("A-05", "%s begins attempt %d of activity %d of %s/%d, which is due %s later", p.Name,
				info.Attempt, key.EventID, key.Instance, key.ExecutionID, early)
		}
	}
	if r := w.policyOf(key); r != nil && r.AtMostOnce {
		w.mayFollow(key, info, r, nil) // Nothing need be heard of it: it counts as failed before it ends.
	}
}

// attemptFails notes when the next attempt is due, if one follows this one, which has ended.
func (w *checker) attemptFails(p *world.Process, info *activities.Info) {
	if p.Dead {
		return
	}
	key, made := keyOf(info), making{info.CompletionToken, info.Attempt}
	var asked *time.Duration
	if d, ok := w.of(p.Running).asked[made]; ok {
		asked = &d
		delete(w.of(p.Running).asked, made)
	}
	if r := w.policyOf(key); r != nil {
		w.mayFollow(key, info, r, asked)
	}
}

// policyOf is the policy that the history has for an activity; nil for none.
func (w *checker) policyOf(key store.ActivityKey) *history.Retry {
	x := w.Ledger.Executions[ledger.At(key.Instance, key.ExecutionID)]
	if x == nil || key.EventID < 1 || key.EventID > int64(len(x.Events)) {
		return nil
	}
	return x.Events[key.EventID-1].Retry
}

// mayFollow notes when the attempt after this one is due at the soonest, if this one has failed
// now. Of several deliveries of an attempt the first to fail decides.
func (w *checker) mayFollow(key store.ActivityKey, info *activities.Info, r *history.Retry, asked *time.Duration) {
	delay := leastDelay(r, info.Attempt+1)
	if asked != nil {
		delay = *asked
	}
	due := w.Clock.Now().Add(delay)
	// A queue counts a delay by itself. A process that goes by a time in a message, or by the
	// time of all attempts together, uses its own clock.
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
	next := ledger.Attempt{ActivityKey: key, Number: info.Attempt + 1}
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

// leastDelay is the delay of a policy before an attempt, with the least that jitter leaves.
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
