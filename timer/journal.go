package timer

// Journal keeps the schedules of a timer beyond its process. It is told of each
// change under the timer's lock, in the order in which they happened: it must
// not call the timer and should not wait, only note. A schedule that was
// delivered is removed after its delivery; where both are lost together it is
// delivered again.
type Journal interface {
	// Load returns the schedules that were kept, in the order of their creation.
	// The timer calls it first, and once. What is due by then is delivered
	// at once.
	Load() ([]Schedule, error)
	// Ready refuses a Schedule with an error where nothing more can be kept for
	// now; nil otherwise.
	Ready() error
	// Created: a schedule was created.
	Created(s Schedule)
	// Removed: the schedule of that name was delivered or cancelled.
	Removed(name string)
}
