package worker

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/store"
)

// lines are the limits as this process has seen them last. A change that is made from what
// is not the newest is refused, and tells what is: so a process that alone uses a limit reads nothing.
type lines struct {
	mu   sync.Mutex
	seen map[string]seenLine
}

// seenLine is a limit as it was seen at that time.
type seenLine struct {
	limits.State
	at time.Time
}

// mostLines is how many a process remembers, and rememberLine for how long. That is far less than
// an item stays that nobody changes: behind that its numbers begin anew, and a change of what was
// seen before could take the place of a newer one.
const mostLines, rememberLine = 1000, 10 * time.Minute

// known returns a limit as it was seen last; fresh if it was read just now.
func (l *lines) known(ctx context.Context, a store.Activities, limit string, now time.Time) (s limits.State, fresh bool, err error) {
	l.mu.Lock()
	seen, ok := l.seen[limit]
	l.mu.Unlock()
	if ok && now.Sub(seen.at).Abs() < rememberLine {
		return seen.State, false, nil
	}
	l.forget(limit)
	s, err = l.read(ctx, a, limit, now)
	return s, true, err
}

// read reads a limit.
func (l *lines) read(ctx context.Context, a store.Activities, limit string, now time.Time) (limits.State, error) {
	s, err := limits.Read(ctx, a, limit)
	if err == nil {
		l.note(limit, s, now)
	}
	return s, err
}

// note remembers a limit, if it is not older than what is remembered.
func (l *lines) note(limit string, s limits.State, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, ok := l.seen[limit]
	if ok && old.Version > s.Version {
		return
	}
	if !ok && len(l.seen) >= mostLines {
		clear(l.seen)
	}
	if l.seen == nil {
		l.seen = map[string]seenLine{}
	}
	l.seen[limit] = seenLine{s, now.Round(0)} // A process that is frozen has a clock that stands still.
}

// forget has a limit read anew.
func (l *lines) forget(limit string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, limit)
}
