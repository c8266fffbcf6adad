package journal

import "time"

// Timer keeps the schedules of a timer when its process ends. The timer calls it under its lock,
// for each change, in the order of the changes. A method must not call the timer and should not
// block: it only records the change. A schedule is removed after its delivery; if a crash loses the
// removal, the schedule is delivered again.
type Timer interface {
	// Load returns the kept schedules, in the order of their creation. The timer calls it once,
	// before any other method, and immediately delivers the schedules that are due.
	Load() ([]Schedule, error)
	// Ready returns an error if no change can be kept at the moment; the timer then rejects the new
	// schedule. The error wraps [ErrUnavailable] if a later one may succeed.
	Ready() error
	// Created records that a schedule was created.
	Created(s Schedule)
	// Removed records that the schedule with that name was delivered or cancelled.
	Removed(name string)
}

// Schedule is one future delivery.
type Schedule struct {
	// Name has 1 to 64 characters: letters, digits, '-', '_' and '.'.
	Name string
	// Due is the time of the delivery.
	Due time.Time
	// Body is the body of the message.
	Body string
	// Group is the message group with which the message is sent.
	Group string
}
