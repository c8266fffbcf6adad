package check

import (
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// roundedUp is how much later than the end of its delay an attempt may be due: the delay of a
// queue is in whole seconds and counts from the call, which may take half a second.
const roundedUp = 1500 * time.Millisecond

// checkDue is A-05: the next attempt waits for the delay of its policy, and is due no later
// than the time limit for all attempts. A process whose clock is off may be off by as much.
func (w *checker) checkDue(p *world.Process, m *queue.Outgoing) {
	if p.Dead {
		return
	}
	item, err := w.Item(m.Body)
	if err != nil || item.Kind != wire.ActivityExecute || item.Retry == nil {
		return
	}
	w.checkDelay(p, item, m.Delay)
	if item.Retry.TotalTimeoutMS == 0 || m.Delay == 0 || w.Faults[fault.Skew] > 0 {
		return
	}
	due := w.Clock.Now().Add(m.Delay)
	if at := time.UnixMilli(item.NotBeforeMS); at.After(due) {
		due = at
	}
	end := time.UnixMilli(item.ScheduledAtMS + item.Retry.TotalTimeoutMS)
	if late := due.Sub(end); late > roundedUp {
		w.Violate("A-05", "%s sends attempt %d of activity %d of %s/%d, which is due %s after the time limit of all attempts together", p.Name,
			item.Attempt, item.SchedulingEventID, item.Instance, item.ExecutionID, late)
	}
}

// checkDelay: a process that sends the next attempt delays it in the queue for the delay of
// the policy, or until the time limit for all attempts, unless the error requested another
// delay.
func (w *checker) checkDelay(p *world.Process, item *wire.Item, delay time.Duration) {
	var work program.Work
	if p.Worker == nil || item.Attempt < 2 || item.Hops > 0 || item.NotBeforeMS > 0 || item.Retry.Jitter > 0 || json.Unmarshal(item.Input, &work) != nil || work.Do == program.DoesLater {
		return
	}
	want, coefficient := item.Retry.InitialMS, item.Retry.Coefficient
	if coefficient == 0 {
		coefficient = 2
	}
	for range item.Attempt - 2 {
		want = int64(float64(want) * coefficient)
	}
	if item.Retry.MaxMS > 0 {
		want = min(want, item.Retry.MaxMS)
	}
	least := min(time.Duration(want)*time.Millisecond, queue.MaxDelay)
	if item.Retry.TotalTimeoutMS > 0 {
		if w.Faults[fault.Skew] > 0 {
			return
		}
		least = min(least, time.UnixMilli(item.ScheduledAtMS+item.Retry.TotalTimeoutMS).Sub(w.Clock.Now())-roundedUp)
	}
	if delay < least {
		w.Violate("A-05", "%s sends attempt %d of activity %d of %s/%d with a delay of %s, by its policy it is %s", p.Name,
			item.Attempt, item.SchedulingEventID, item.Instance, item.ExecutionID, delay, least)
	}
}
