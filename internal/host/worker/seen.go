package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/store"
)

// seen are the limits as this process last saw them. A write based on an older State fails, and the response contains
// the newest one. So a process that is the only user of a limit never reads it.
type seen struct {
	mu sync.Mutex
	of map[string]seenLimit
}

// seenLimit is a limit as it was at one time.
type seenLimit struct {
	limits.State
	at time.Time
	// shared is set if another process made the last change.
	shared bool
}

const (
	// mostSeen is the maximum number of limits that a process remembers, and rememberFor how long
	// it remembers them. The table keeps an unchanged item far longer. After an item was deleted,
	// its versions start again, and a write based on the old State could overwrite a newer one.
	mostSeen, rememberFor = 1000, 10 * time.Minute
	// newest is how long a process uses a remembered State without reading it again.
	newest = time.Second
	// quick is how long a process writes on the basis of a remembered State, without a read, if
	// other processes also change the limit. A failed write costs more than a read.
	quick = 10 * time.Millisecond
	// mostWrites is the maximum number of tries of a change of a limit. Each failed try means that
	// the limit has changed in the meantime.
	mostWrites = 20
)

// known returns the remembered State of a limit and its time; false if the limit must be read.
func (l *seen) known(limit string, now time.Time) (limits.State, time.Time, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.of[limit]
	age := now.Sub(s.at).Abs()
	return s.State, s.at, ok && age < rememberFor && (!s.shared || age < quick)
}

// crowded reports whether attempts wait for a limit outside any process while other processes change it.
func (l *seen) crowded(limit string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of[limit]
	return s.shared && s.Tail > now.UnixMilli()
}

// read reads a limit.
func (l *seen) read(ctx context.Context, a store.Activities, limit string, now time.Time) (limits.State, error) {
	s, err := limits.Read(ctx, a, limit)
	if err != nil {
		l.forget(limit)
		return s, err
	}
	l.note(limit, s, now, false)
	return s, nil
}

// note remembers a State, unless a newer one is remembered. own is set if this process has written it.
func (l *seen) note(limit string, s limits.State, now time.Time, own bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old, ok := l.of[limit]
	if ok && old.Version > s.Version {
		return
	}
	if !ok && len(l.of) >= mostSeen {
		clear(l.of)
	}
	if l.of == nil {
		l.of = map[string]seenLimit{}
	}
	l.of[limit] = seenLimit{s, now, ok && (old.shared && own || !own && s.Version > old.Version)}
}

// forget makes the next change read the limit.
func (l *seen) forget(limit string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, limit)
}

// errBusy means that other processes keep changing a limit.
func errBusy(limit string) error {
	return fmt.Errorf("worker: limit %q not changed: other processes changed it during each of %d tries", limit, mostWrites)
}

// change writes the State that next returns, or nothing if next returns false. It calls next again for each newer
// State, and returns the time of the State that was used. If polls is set, it reads the limit first.
func (l *limiter) change(ctx context.Context, limit string, polls bool, next func(s limits.State, now time.Time) (limits.State, bool)) (at time.Time, err error) {
	now := l.now()
	state, at, known := l.seen.known(limit, now)
	read := func() (err error) {
		at = l.now()
		state, err = l.seen.read(ctx, l.Stops, limit, at)
		return err
	}
	if !known || polls {
		if err := read(); err != nil {
			return at, err
		}
	}
	for try := range mostWrites {
		now := l.now()
		changed, is := next(state, now)
		switch {
		case is:
		case now.Sub(at).Abs() < newest:
			return at, nil
		default:
			if err := read(); err != nil {
				return at, err
			}
			continue
		}
		stands, written, err := limits.Write(ctx, l.Stops, limit, &changed, now, delivery.Retention)
		if err != nil {
			l.seen.forget(limit)
			return now, err
		}
		l.seen.note(limit, stands, now, written)
		if state, at = stands, now; written {
			return now, nil
		}
		if err := l.yield(ctx, try); err != nil {
			return at, err
		}
		if err := read(); err != nil {
			return at, err
		}
	}
	return at, errBusy(limit)
}

// yield waits so that other processes can change a limit first.
func (l *limiter) yield(ctx context.Context, try int) error {
	share, err := l.random.Share()
	if err != nil {
		return err
	}
	return clock.Sleep(ctx, l.Clock, time.Duration((0.5+share)*float64(min(8<<try, 200))*float64(time.Millisecond)))
}

// now returns the wall-clock time, because the monotonic clock stops while a process is frozen.
func (c *Config) now() time.Time { return c.Clock.Now().Round(0) }
