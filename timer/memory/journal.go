package memory

import "github.com/turnstile-go/turnstile/timer"

// Journal keeps the schedules of a timer beyond its process. It is told of each
// change under the timer's lock, in the order in which they happened: it must
// not call the timer and should not wait, only note. A schedule that was
// delivered is removed after its delivery; where both are lost together it is
// delivered again.
type Journal interface {
	// Load returns the schedules that were kept, in the order of their creation.
	// New calls it once, before anything else. What is due by then is delivered
	// at once.
	Load() ([]timer.Schedule, error)
	// Ready refuses a Schedule with an error where nothing more can be kept for
	// now; nil otherwise.
	Ready() error
	// Created: a schedule was created.
	Created(s timer.Schedule)
	// Removed: the schedule of that name was delivered or cancelled.
	Removed(name string)
}

// load creates what the timer's journal kept.
func (t *Timer) load() error {
	if t.opts.Journal == nil {
		return nil
	}
	kept, err := t.opts.Journal.Load()
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range kept {
		t.add(s)
	}
	t.arm()
	return nil
}
