package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/random"
	"github.com/turnstile-go/turnstile/internal/limits"
)

// limiter takes the permits of limits and rates for the attempts of a worker, and returns them.
type limiter struct {
	*Config
	random *random.Source
	pools  pools
	seen   seen
}

// ask waits until an attempt has a permit, or until the attempt leaves the process to return later.
func (l *limiter) ask(ctx context.Context, p *pool, x *waiter) error {
	l.pools.mu.Lock()
	defer l.pools.mu.Unlock()
	now := l.now()
	x.since = now
	at := len(p.waitlist.waiting)
	if x.returns() {
		// The attempt arrived before the attempts that wait for the first time.
		if i := slices.IndexFunc(p.waitlist.waiting, func(other *waiter) bool { return !other.returns() }); i >= 0 {
			at = i
		}
	}
	p.waitlist.waiting = slices.Insert(p.waitlist.waiting, at, x)
	p.soon(now, x.t.batch)
	if l.seen.crowded(p.limit, now) {
		p.io.due = latest(p.io.due, now.Add(gatherCrowded))
	}
	looked := now
	for x.out == waiting {
		if now := l.now(); now.Sub(looked) >= l.Settings.Attempt.HeartbeatInterval {
			looked = now
			l.pools.mu.Unlock()
			state, err := l.Stops.State(ctx, x.t.key())
			l.pools.mu.Lock()
			switch {
			case err == nil && state.Stop:
				err = &stopWhileWaiting{state.StopReason}
			case err == nil || x.out != waiting:
				continue
			}
			if x.out == waiting {
				p.leaves(x, unserved)
			}
			return errors.Join(err, l.settle(ctx, p))
		}
		if err := l.turn(ctx, p); errors.Is(err, errGone) {
			return err
		}
		if made := p.last; made != nil && x.out != served {
			p.last = nil
			l.pools.mu.Unlock()
			l.shows(ctx, p, made)
			l.pools.mu.Lock()
		}
	}
	return x.err
}

// shows writes, after a plan, the data that is displayed: the key in the list of keys, and the names of attempts.
// Attempts that already have a permit do not wait for these writes.
func (l *limiter) shows(ctx context.Context, p *pool, made *plan) {
	l.names(ctx, p, made, false)
	if now := l.now(); now.Sub(time.UnixMilli(made.next.Listed)) >= limits.ListAgain {
		l.list(ctx, p.limit, now)
	}
}

// stopWhileWaiting is the error if an activity was asked to stop while its attempt waited for a permit.
type stopWhileWaiting struct{ reason string }

func (e *stopWhileWaiting) Error() string {
	return "worker: the activity was asked to stop while it waited for a permit: " + e.reason
}

// turn waits until it is time to read or write the item of a limit, and does so. It returns early when something has
// changed. The caller holds the lock.
func (l *limiter) turn(ctx context.Context, p *pool) error {
	changed, at := p.io.changed, p.io.poll
	if !p.io.due.IsZero() {
		at = p.io.due
	}
	d := at.Sub(l.now())
	switch {
	case p.io.busy:
		d = 0
	case d <= 0:
		return l.step(ctx, p)
	}
	l.pools.mu.Unlock()
	defer l.pools.mu.Lock()
	startedAt := l.Clock.Now()
	l.pause(ctx, changed, d)
	select {
	case <-changed:
		return nil
	default:
	}
	if d == 0 || l.Clock.Now().Sub(startedAt) < d/2 {
		return errGone // The pause ended early and nothing changed, so the process is shutting down.
	}
	return nil
}

// pause waits until ready is closed or d has passed; if d is 0, only for ready.
func (l *limiter) pause(ctx context.Context, ready <-chan struct{}, d time.Duration) {
	_, awaits := l.Clock.(clock.Awaiter)
	if s, sleeps := l.Clock.(clock.Sleeper); sleeps && !awaits {
		_ = s.Sleep(ctx, d) // One goroutine does all the work, so waiting for ready would block it.
		return
	}
	clock.Await(l.Clock, ready, d)
}

// settle writes the item until the process has no unwritten changes to the limit. The
// caller holds the lock.
func (l *limiter) settle(ctx context.Context, p *pool) error {
	for p.owes() {
		p.soon(l.now(), nil)
		if err := l.turn(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// step reads or writes the item of a limit, and carries out the plan. The caller holds the lock, which is released in
// between.
func (l *limiter) step(ctx context.Context, p *pool) error {
	polls := p.io.due.IsZero()
	p.io.busy, p.io.due = true, time.Time{}
	var made plan
	l.pools.mu.Unlock()
	at, err := l.change(ctx, p.limit, polls, func(s limits.State, now time.Time) (limits.State, bool) {
		l.pools.mu.Lock()
		defer l.pools.mu.Unlock()
		made = p.plan(l, s, now)
		if made.writes {
			// Until the write returns, count only permits that the process has both before and after it.
			p.hold.have = max(min(p.hold.have, made.next.Group(p.token).Have), len(p.hold.users))
		}
		return made.next, made.writes
	})
	l.pools.mu.Lock()
	if err != nil {
		p.fail(err)
	} else {
		p.carry(l, &made, at)
		if len(made.called) > 0 {
			l.pools.wake(p) // Attempts that have a permit do not wait for these calls.
			l.pools.mu.Unlock()
			l.call(ctx, p.limit, made.called)
			l.pools.mu.Lock()
		}
		p.last = &made
		if p.owes() || len(p.waitlist.waiting) > p.waitlist.wants {
			p.soon(l.now(), nil)
		}
	}
	p.io.busy = false
	l.pools.wake(p)
	return err
}

// free returns the permit of an attempt, to a waiter in this process or to other processes.
func (l *limiter) free(ctx context.Context, p *pool, x *waiter) error {
	l.pools.mu.Lock()
	defer l.pools.mu.Unlock()
	now := l.now()
	p.hold.users = slices.DeleteFunc(p.hold.users, func(other *waiter) bool { return other == x })
	p.use.used, p.use.usedBy = p.use.used+max(now.Sub(x.at), 0), p.use.usedBy+1
	p.hand(now)
	if p.owes() {
		p.soon(now, x.t.batch)
	}
	l.pools.wake(p)
	return l.settle(ctx, p)
}

// list adds the key of a limit to the list of keys because an attempt waits for it.
func (l *limiter) list(ctx context.Context, limit string, now time.Time) {
	err := limits.List(ctx, l.Stops, limit, now, delivery.Retention)
	if err == nil {
		_, err = l.change(ctx, limit, false, func(s limits.State, now time.Time) (limits.State, bool) { return s.IsListed(now), true })
	}
	if err != nil {
		l.Logger.DebugContext(ctx, "could not add the key of a limit to the list of limits", "key", limit, "error", err)
	}
}

// names writes the names of attempts that have waited for a long time. If permits are usually held
// for a long time, or if held is true, it also writes the names of attempts that hold a permit. The
// names are only for display.
func (l *limiter) names(ctx context.Context, p *pool, made *plan, held bool) {
	l.pools.mu.Lock()
	now := l.now()
	var waiting []limits.Waiting
	var holders []limits.Named
	wait := func(x *waiter, due time.Time) {
		if due.Sub(now) >= limits.NameFrom {
			waiting = append(waiting, limits.Waiting{Who: x.t.who(), Since: x.waitsSince().UnixMilli(), Due: due.UnixMilli()})
		}
	}
	until := p.hold.until
	if made != nil {
		held = held || time.Duration(made.next.Mean)*time.Millisecond >= limits.NameFrom
		for _, b := range made.back {
			wait(b.x, b.turn)
		}
		for _, x := range p.waitlist.waiting {
			wait(x, now.Add(made.wait))
		}
	}
	if held {
		for _, x := range p.hold.users {
			holders = append(holders, limits.Named{Who: x.t.who(), Since: x.at.UnixMilli()})
		}
	}
	if len(waiting)+len(holders) == 0 || now.Sub(p.named).Abs() < limits.NameAgain {
		l.pools.mu.Unlock()
		return
	}
	p.named = now
	l.pools.mu.Unlock()
	err := limits.WriteNames(ctx, l.Stops, p.limit, now, delivery.Retention, func(n *limits.Names) {
		for _, l := range waiting {
			n.Waits(l)
		}
		for _, h := range holders {
			n.Leaves(h.Who)
		}
		if len(holders) > 0 {
			n.Holding(p.token, until, holders)
		}
	})
	if err != nil {
		l.Logger.DebugContext(ctx, "could not write the names of a limit's waiting attempts", "key", p.limit, "error", err)
	}
}
