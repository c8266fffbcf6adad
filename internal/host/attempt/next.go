package attempt

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/random"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Next returns the attempt that follows a failed one, and when it is due: no later than the end of the total timeout, at
// which the activity fails.
func Next(item *wire.Item, f *history.Failure, delay *time.Duration, now time.Time, random *random.Source) (wire.Item, time.Time, error) {
	next := *item
	next.Attempt++
	next.Details, next.Hops, next.FirstSeenMS, next.ID = nil, 0, 0, ""
	next.WaitsMS, next.TurnMS = 0, 0
	next.Actor = "" // The actor asked for one attempt, not for the next.
	if delay == nil {
		share, err := random.Share()
		if err != nil {
			return next, now, err
		}
		d := activities.Delay(item.Retry, next.Attempt, share)
		delay = &d
	}
	// A further attempt is a new message, whose age counts from when it is due.
	due := now.Add(*delay)
	if end, bounded := TotalEnd(item.Retry, time.UnixMilli(item.ScheduledAtMS)); bounded {
		next.Details = wire.FailureOf(&history.Failure{Kind: f.Kind, Message: f.Message, Code: f.Code, Attempt: item.Attempt})
		if due.After(end) {
			due = end
		}
	}
	next.SentMS = due.UnixMilli()
	return next, due, nil
}
