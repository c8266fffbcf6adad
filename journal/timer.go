package journal

import "time"

// Timer keeps the schedules of a timer beyond its process. The timer calls it under its
// lock, for each change, in the order in which the changes happened. A method must not
// call the timer and should not wait: it only notes the change. A schedule is removed
// after its delivery; if a crash loses both, it is delivered again.
type Timer interface {
	// Load returns the schedules that were kept, in the order of their creation.
	// The timer calls it first, and once. It delivers at once what is due by then.
	Load() ([]Schedule, error)
	// Ready refuses a Schedule with an error if nothing more can be kept for now; nil
	// otherwise. The error wraps ErrUnavailable if a later Schedule may succeed.
	Ready() error
	// Created: a schedule was created.
	Created(s Schedule)
	// Removed: the schedule of that name was delivered or cancelled.
	Removed(name string)
}

// Schedule is one delivery to come.
type Schedule struct {
	// Name, 1 to 64 characters of letters, digits, '-', '_' and '.'.
	Name string
	// Due is when to deliver.
	Due time.Time
	// Body of the message.
	Body string
	// Group is the message group that the message is sent under.
	Group string
}
