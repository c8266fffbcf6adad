package wire

import "time"

// MaxAge is how old an item may be that still does something: fourteen days, as
// long as SQS keeps a message. An item that is moved or sent on is another
// message to SQS, with a time of its own, and could go on for ever; SentMS goes
// with it. So an item of an instance that was purged is gone before its id is free
// again, a day later.
const MaxAge = 14 * 24 * time.Hour

// Age is how long ago an item was sent first, or was due where that is later: a
// timer of a year is as old as its firing, an attempt as old as its turn has
// come. It is 0 for an item that does not say, and negative for one that is not
// due. See SentMS.
func (i *Item) Age(now time.Time) time.Duration {
	if i.SentMS == 0 {
		return 0
	}
	if i.Kind == StartOrchestration || i.Kind == SuspendInstance {
		return now.Sub(time.UnixMilli(i.SentMS)) // It is taken when it comes, and says what is later.
	}
	return now.Sub(time.UnixMilli(max(i.SentMS, i.NotBeforeMS, i.FireAtMS)))
}

// Expired reports whether an item is older than MaxAge and must not be applied.
// A Wake and a Sweep never are: they ask for nothing that is not asked for again,
// and the sweeper's wake counts only for the mark that it names.
func (i *Item) Expired(now time.Time) bool {
	return i.Kind != Wake && i.Kind != Sweep && i.Age(now) > MaxAge
}

// Stamp says in an item when it is sent first, where it does not say so yet. A
// firing bears the time at which it is due, so that a schedule which is made
// twice is the same.
func (i *Item) Stamp(now time.Time) {
	if i.SentMS == 0 {
		i.SentMS = max(now.UnixMilli(), i.FireAtMS)
	}
}
