package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/store"
)

// lines are the limits as this process has seen them last. A change that is made from what
// is not the newest is refused, and tells what is: so a process that alone uses a limit reads nothing.
//
// Changes of one limit that the process makes at the same time are one write: whoever
// comes first makes it for all that have come meanwhile. Otherwise each would be refused for the others.
type lines struct {
	mu   sync.Mutex
	seen map[string]seenLine
	// open are the limits that are being written, with the changes that wait for the next
	// write.
	open map[string][]*change
}

// seenLine is a limit as it was seen at that time.
type seenLine struct {
	limits.State
	at time.Time
}

// mostLines is how many a process remembers, and rememberLine for how long. An unchanged item
// stays far longer than that. When it is gone, its numbers begin anew, and a change of what was
// seen before could take the place of a newer one.
const mostLines, rememberLine = 1000, 10 * time.Minute

// newestLine is how long what was seen is as good as what would be read now.
const newestLine = time.Second

// change is one change of a limit. apply may be called several times; what its last call has
// decided counts.
type change struct {
	apply func(s *limits.State, now time.Time) (next limits.State, called []limits.Who, verdict verdict)
	// called are the attempts to call, once it is written; only those who still wait.
	called []limits.Who
	// written: it stands. unsure: nobody has said so, and it may.
	written, unsure bool
	err             error
	// done is closed when that is so, or when it leads: it is to write itself and others.
	done  chan struct{}
	leads bool
}

// verdict is what becomes of a change.
type verdict uint8

const (
	// leave: there is nothing to change.
	leave verdict = iota
	// write it.
	write
	// look: there is nothing to change if that is the newest; read it otherwise.
	look
)

// errNoOutcome says that another goroutine was to write a change, and did not in time.
var errNoOutcome = errors.New("worker: a change of a limit that was to be written with others was not")

// change makes a change, with others that the process makes at the same time.
func (l *lines) change(ctx context.Context, a store.Activities, c clock.Clock, limit string, x *change) error {
	x.written, x.unsure, x.err, x.called, x.done = false, false, nil, nil, make(chan struct{})
	l.mu.Lock()
	if l.open == nil {
		l.open = map[string][]*change{}
	}
	waiting, busy := l.open[limit]
	l.open[limit] = append(waiting, x)
	l.mu.Unlock()
	if busy {
		clock.Await(c, x.done, 0)
		select {
		case <-x.done:
		default: // The process has come to its end.
			x.unsure = true
			return errNoOutcome
		}
		if !x.leads {
			return x.err
		}
		x.leads, x.done = false, make(chan struct{})
	}
	l.lead(ctx, a, c, limit)
	return x.err
}

// lead writes the changes that have come so far; then one of the goroutines that came meanwhile
// writes the next.
func (l *lines) lead(ctx context.Context, a store.Activities, c clock.Clock, limit string) {
	l.mu.Lock()
	all := l.open[limit]
	l.open[limit] = nil
	l.mu.Unlock()
	l.all(ctx, a, c, limit, all)
	for _, x := range all {
		close(x.done)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next := l.open[limit]
	if len(next) == 0 {
		delete(l.open, limit)
		return
	}
	next[0].leads = true
	close(next[0].done)
}

// all makes changes in one write, and notes in each what has become of it.
func (l *lines) all(ctx context.Context, a store.Activities, c clock.Clock, limit string, all []*change) {
	fail := func(err error) {
		for _, x := range all {
			x.err = err
		}
	}
	state, at, err := l.known(ctx, a, limit, c.Now())
	if err != nil {
		fail(err)
		return
	}
	for range mostWrites {
		now := c.Now()
		next, changes, looks := state, false, false
		for _, x := range all {
			after, called, v := x.apply(&next, now)
			x.written, x.called, looks = v == write, nil, looks || v == look
			if v == write {
				after.Version = state.Version + 1
				next, x.called, changes = after, called, true
			}
		}
		if looks && now.Sub(at).Abs() >= newestLine {
			if state, err = l.read(ctx, a, limit, now); err != nil {
				fail(err)
				return
			}
			at = now
			continue
		}
		if !changes {
			return
		}
		for _, x := range all {
			x.called = next.StillWaiting(x.called)
		}
		stands, written, err := limits.Write(ctx, a, limit, &next, now, delivery.Retention)
		if err != nil {
			l.forget(limit)
			for _, x := range all {
				x.unsure, x.written = x.written, false
			}
			fail(err)
			return
		}
		l.note(limit, stands, now)
		if state, at = stands, now; written {
			return
		}
	}
	for _, x := range all {
		x.written = false
	}
	fail(errBusy(limit))
}

// known returns a limit as it was seen last, and when.
func (l *lines) known(ctx context.Context, a store.Activities, limit string, now time.Time) (limits.State, time.Time, error) {
	l.mu.Lock()
	seen, ok := l.seen[limit]
	l.mu.Unlock()
	if ok && now.Sub(seen.at).Abs() < rememberLine {
		return seen.State, seen.at, nil
	}
	l.forget(limit)
	s, err := l.read(ctx, a, limit, now)
	return s, now, err
}

// newest returns a limit as it was less than this long ago.
func (l *lines) newest(ctx context.Context, a store.Activities, limit string, now time.Time, old time.Duration) (limits.State, error) {
	s, at, err := l.known(ctx, a, limit, now)
	if err == nil && now.Sub(at).Abs() >= old {
		return l.read(ctx, a, limit, now)
	}
	return s, err
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
