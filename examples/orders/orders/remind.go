package orders

import (
	"time"

	"github.com/turnstile-go/turnstile"
)

// mostReminders limits the loop in case it is never cancelled.
const mostReminders = 100

// remind sends one reminder after the other until it is cancelled. Each iteration is an execution
// of its own, so that the history does not grow.
func remind(ctx turnstile.Context, r Reminder) (int, error) {
	every, err := duration(r.Every, time.Hour)
	if err != nil {
		return r.Sent, err
	}
	if err := turnstile.Sleep(ctx, every); err != nil {
		return r.Sent, err
	}
	if _, err := SendReminder.Call(ctx, r); err != nil {
		return r.Sent, err
	}
	r.Sent++
	if r.Sent == mostReminders {
		return r.Sent, nil
	}
	return r.Sent, Remind.ContinueAsNew(ctx, r)
}
