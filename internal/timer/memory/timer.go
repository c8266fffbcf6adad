package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/journal"
)

// ErrClosed is returned after Close.
var ErrClosed = errors.New("timer: closed")

// Options of a timer.
type Options struct {
	// Deliver sends the body to the orchestrator queue, in the message group. The clock calls it,
	// never Schedule, one call at a time. Close cancels its context. Required.
	Deliver func(ctx context.Context, s timer.Schedule) error
	// Clock; default [clock.Wall].
	Clock clock.Clock
	// RefusePast refuses due times in the past with timer.ErrPast, as EventBridge Scheduler does;
	// otherwise they are delivered immediately.
	RefusePast bool
	// Failed, if set, is called for each failed delivery that will be retried.
	Failed func(s timer.Schedule, err error)
	// Journal stores the schedules so that they survive the process; default none.
	Journal journal.Timer
}

// Timer is a timer in memory. It implements timer.Timer and is safe for
// concurrent use.
type Timer struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc

	mu        sync.Mutex
	idle      *sync.Cond // signalled when firing becomes false
	closed    bool
	firing    bool
	lastSeq   int64
	schedules map[string]*schedule
	due       dueHeap
	// stopTimer stops the clock's timer, which is armed for armedFor; nil if none is armed.
	stopTimer func() bool
	armedFor  time.Time
}

var _ timer.Timer = (*Timer)(nil)

// New returns a timer with the schedules of its journal, if it has one.
func New(opts Options) (*Timer, error) {
	if opts.Deliver == nil {
		return nil, errors.New("timer: memory: Deliver is required")
	}
	if opts.Clock == nil {
		opts.Clock = clock.Wall{}
	}
	t := &Timer{opts: opts, schedules: map[string]*schedule{}}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.idle = sync.NewCond(&t.mu)
	if err := t.load(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Schedule creates a schedule; see timer.Timer. It is due to the nanosecond.
func (t *Timer) Schedule(ctx context.Context, s timer.Schedule) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.Validate(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if _, exists := t.schedules[s.Name]; exists {
		return nil
	}
	if now := t.opts.Clock.Now(); t.opts.RefusePast && !s.Due.After(now) {
		return fmt.Errorf("schedule %q, due %s, now %s: %w", s.Name, s.Due.UTC().Format(time.RFC3339Nano), now.UTC().Format(time.RFC3339Nano), timer.ErrPast)
	}
	if j := t.opts.Journal; j != nil {
		err := j.Ready()
		if errors.Is(err, journal.ErrUnavailable) {
			return fmt.Errorf("schedule %q: %w: %w", s.Name, timer.ErrUnavailable, err)
		}
		if err != nil {
			return fmt.Errorf("schedule %q: %w", s.Name, err)
		}
		j.Created(journal.Schedule(s))
	}
	t.add(s)
	t.arm()
	return nil
}

func (t *Timer) add(s timer.Schedule) {
	t.lastSeq++
	created := &schedule{Schedule: s, seq: t.lastSeq, next: s.Due.Round(0), retry: firstRetry}
	t.schedules[s.Name] = created
	t.due.add(created)
}

// Cancel removes a schedule; see timer.Timer. A schedule that is being delivered at this moment
// still arrives.
func (t *Timer) Cancel(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if s := t.schedules[name]; s != nil {
		t.remove(s)
		t.arm()
	}
	return nil
}

// Pending returns the schedules that have not been delivered yet, in the order of delivery,
// including one that is being delivered.
func (t *Timer) Pending() []timer.Schedule {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := slices.Clone(t.due)
	slices.SortFunc(all, compare)
	out := make([]timer.Schedule, len(all))
	for i, s := range all {
		out[i] = s.Schedule
	}
	return out
}

// NextDue returns when the next delivery, or retry of a failed one, is due; false if there is none.
func (t *Timer) NextDue() (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.due) == 0 {
		return time.Time{}, false
	}
	return t.due[0].next, true
}

// Close discards the pending schedules, which the journal keeps. It cancels the context of a
// running delivery, and waits until it returns. Deliver must not call it.
func (t *Timer) Close() {
	t.cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	clear(t.schedules)
	t.due = nil
	t.arm()
	for t.firing {
		t.idle.Wait()
	}
}

func (t *Timer) remove(s *schedule) {
	delete(t.schedules, s.Name)
	t.due.remove(s)
	if j := t.opts.Journal; j != nil {
		j.Removed(s.Name)
	}
}

// arm sets the clock's timer to exactly the first schedule, because a virtual clock skips to that
// time. While fire is delivering it does nothing: fire delivers later schedules too.
func (t *Timer) arm() {
	wanted := len(t.due) > 0 && !t.firing
	if wanted && t.stopTimer != nil && t.armedFor.Equal(t.due[0].next) {
		return
	}
	t.disarm()
	if wanted {
		t.armedFor = t.due[0].next
		t.stopTimer = clock.At(t.opts.Clock, t.armedFor, t.fire)
	}
}

func (t *Timer) disarm() {
	if t.stopTimer != nil {
		t.stopTimer()
		t.stopTimer = nil
	}
}

// fire delivers all due schedules.
func (t *Timer) fire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.firing || t.closed {
		return
	}
	// The clock's timer has fired, or an older one that was replaced has fired late. In both cases
	// arm must set it again.
	t.disarm()
	t.firing = true
	for len(t.due) > 0 && !t.due[0].next.After(t.opts.Clock.Now()) {
		s := t.due[0]
		t.mu.Unlock()
		err := t.opts.Deliver(t.ctx, s.Schedule)
		if err != nil && t.opts.Failed != nil && t.ctx.Err() == nil {
			t.opts.Failed(s.Schedule, err)
		}
		t.mu.Lock()
		switch {
		case t.schedules[s.Name] != s: // cancelled, and perhaps created again
		case err == nil:
			t.remove(s)
		default:
			t.due.remove(s)
			s.next = t.opts.Clock.Now().Round(0).Add(s.retry)
			s.retry = min(2*s.retry, maxRetry)
			t.due.add(s)
		}
	}
	t.firing = false
	t.idle.Broadcast()
	t.arm()
}
