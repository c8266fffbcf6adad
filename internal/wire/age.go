package wire

import "time"

// MaxAge is the age from which on an item has no effect: 14 days, as long as SQS keeps a
// message. An item that is moved or forwarded is a new message to SQS, with its own
// retention, and could live for ever; SentMS stays with it. So all items for a purged
// instance are gone a day before its id can be reused.
const MaxAge = 14 * 24 * time.Hour

// Age returns the time since an item was first sent, or since it was due if that is
// later: a timer of a year has an age from the time it fires, an attempt from the time it
// may run. It returns 0 for an item without SentMS, and a negative value for one that is
// not due.
func (i *Item) Age(now time.Time) time.Duration {
	if i.SentMS == 0 {
		return 0
	}
	if i.Kind == StartOrchestration || i.Kind == SuspendInstance {
		return now.Sub(time.UnixMilli(i.SentMS)) // It takes effect when it is received, and contains the later time.
	}
	return now.Sub(time.UnixMilli(max(i.SentMS, i.NotBeforeMS, i.FireAtMS)))
}

// Expired reports whether an item is older than MaxAge and must not be applied. A Wake or
// a Sweep never expires, because it has no effect that another one would not have, and
// the sweeper's wake applies only to the problem that it names.
func (i *Item) Expired(now time.Time) bool {
	return i.Kind != Wake && i.Kind != Sweep && i.Age(now) > MaxAge
}

// Stamp sets SentMS if it is not set. For a firing it is the time at which the timer is
// due, so that a schedule which is created twice is the same.
func (i *Item) Stamp(now time.Time) {
	if i.SentMS == 0 {
		i.SentMS = max(now.UnixMilli(), i.FireAtMS)
	}
}
