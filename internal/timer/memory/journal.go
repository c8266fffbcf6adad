package memory

import "github.com/turnstile-go/turnstile/internal/timer"

// load creates the schedules of the timer's journal.
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
		t.add(timer.Schedule(s))
	}
	t.arm()
	return nil
}
