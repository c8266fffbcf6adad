package worker

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/limits"
)

// An attempt needs a permit for each limit across instances that its activity has. It takes the
// permit of a Limit first, because that permit can be returned, and the permit of a Rate last.

// delayedForLimit counts attempts that are requeued to wait for a permit.
const delayedForLimit = "limit"

// permit is a permit that an attempt has taken.
type permit struct {
	pool *pool
	*waiter
}

func (t *task) who() limits.Who {
	return limits.Who{ActivityKey: t.key(), Attempt: max(t.item.Attempt, 1)}
}

// permits takes the permits that the attempt needs. If it does not get all of them, it returns the permits that it
// took, and returns the answer to send instead of the attempt.
func (l *limiter) permits(ctx context.Context, t *task, p *prepared) (instead *answer, err error) {
	r := t.item.Retry
	if !limited(r) {
		return nil, nil
	}
	if r.Limit > 0 {
		instead, err = l.takePermit(ctx, t, p, r.LimitKey, false)
	}
	if r.Rate > 0 && instead == nil && err == nil {
		instead, err = l.takePermit(ctx, t, p, limits.OfRate(r.RateKey), true)
	}
	if instead != nil || err != nil {
		l.givePermits(ctx, t, p)
	}
	return instead, err
}

// takePermit takes a permit of a limit or a rate, or makes the attempt return later for it.
func (l *limiter) takePermit(ctx context.Context, t *task, p *prepared, limit string, rate bool) (instead *answer, err error) {
	token, err := l.random.Hex()
	if err != nil {
		return nil, err
	}
	pool, x := l.pools.get(limit, rate, token[:8]), &waiter{t: t, needs: p.Limit.Timeout, hasTime: func() bool { return t.batch.hasTimeFor(ctx, t) }}
	if err = l.ask(ctx, pool, x); err == nil && x.out == hides {
		if err = l.park(ctx, t, x.due); err == nil {
			x.out, x.hidden = waiting, true
			err = l.ask(ctx, pool, x)
		}
	}
	if stop, is := errors.AsType[*stopWhileWaiting](err); is {
		if x.out == served && !rate {
			p.permits = append(p.permits, permit{pool, x}) // The pool granted a permit in the meantime.
		}
		return stopped(&t.item, stop.reason), nil
	}
	if err != nil {
		return nil, err
	}
	word, waits := "taken", "waits"
	if rate {
		word, waits = "", "rate waits"
	}
	switch x.out {
	case sentBack:
		l.Observer.Count(host.CountPermits, waits, 1)
		return l.comesBack(t, x), nil
	case isParked:
		l.Observer.Count(host.CountPermits, waits, 1)
		return nil, errParked
	case shows:
		// Another process may still make this delivery of the message visible, which must not happen while the attempt
		// runs. So the next delivery requests the permit.
		return nil, l.showAgain(ctx, t)
	}
	if rate {
		if d := x.at.Sub(l.now()); d > 0 {
			l.pause(ctx, nil, d)
		}
	} else {
		p.permits = append(p.permits, permit{pool, x})
	}
	if p.asked.IsZero() || x.at.Before(p.asked) {
		p.asked = x.at
	}
	if word != "" {
		l.Observer.Count(host.CountPermits, word, 1)
	}
	if waited := l.now().Sub(x.waitsSince()); waited >= leastPoll {
		l.Observer.Timing(host.TimePermit, waited)
	}
	return nil, nil
}

// comesBack returns the answer that sends the attempt again, delayed until its turn is expected.
func (l *limiter) comesBack(t *task, x *waiter) *answer {
	since := x.waitsSince()
	a := again(&t.item, l.now(), x.due, delayedForLimit)
	a.next.TurnMS, a.next.WaitsMS = x.turn.UnixMilli(), since.UnixMilli()
	return a
}

// givePermits returns the permits of an attempt. A permit that cannot be returned becomes free when it expires.
func (l *limiter) givePermits(ctx context.Context, t *task, p *prepared) {
	for _, held := range p.permits {
		if err := l.free(ctx, held.pool, held.waiter); err == nil {
			l.Observer.Count(host.CountPermits, "returned", 1)
		} else {
			l.Logger.WarnContext(ctx, "could not return a permit; it becomes free when it expires", attrs(&t.item, "key", held.pool.limit, "error", err)...)
		}
	}
	p.permits = nil
}

// leavesWaitingList removes an activity that ended without an attempt from the names of waiting attempts.
func (l *limiter) leavesWaitingList(ctx context.Context, t *task) {
	r := t.item.Retry
	if t.item.TurnMS == 0 || !limited(r) {
		return
	}
	limit := r.LimitKey
	if r.Limit == 0 {
		limit = limits.OfRate(r.RateKey)
	}
	if err := limits.WriteNames(ctx, l.Stops, limit, l.now(), delivery.Retention, func(n *limits.Names) { n.Leaves(t.who()) }); err != nil {
		l.Logger.DebugContext(ctx, "could not remove an ended activity from the names of the waiting attempts", attrs(&t.item, "key", limit, "error", err)...)
	}
}

// mayStart is how much time may pass between the request for a permit and the start of the code. If
// the delay is longer, the excess is subtracted from the attempt's time, because another attempt
// may get the permit VisibilityMargin after that time is over.
const mayStart = 5 * time.Second

// errPermitOver means that the attempt was not started, because its permit may have expired.
var errPermitOver = errors.New("worker: attempt not started: its process was frozen for so long that its permit may have expired")

// shorten subtracts the delay since the request for a permit from the attempt's time. It reports whether any time is
// left.
func (p *prepared) shorten(now time.Time) bool {
	if p.asked.IsZero() {
		return true
	}
	late := now.Sub(p.asked) - mayStart
	if late > 0 {
		p.Limit.Timeout -= late
	}
	return late <= 0 || p.Limit.Timeout > 0
}

// limited reports whether a policy has a limit across instances.
func limited(r *history.Retry) bool { return r != nil && (r.Limit > 0 || r.Rate > 0) }
