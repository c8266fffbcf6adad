package worker

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/attempt"
	"github.com/turnstile-go/turnstile/internal/limits"
)

const (
	// mostInside is the longest expected wait for which an attempt stays in its process if nothing
	// else keeps the invocation running. It is about the time that a return through the queue
	// takes. An attempt that has already returned waits longer (inside). No attempt waits longer
	// than twice the limit, whatever was expected.
	mostInside = time.Second
	early      = 500 * time.Millisecond
	// lead is the minimum time between taking a permit of a rate and the start that it permits. It
	// allows for the write, so that the code starts at the time that is counted.
	lead = 10 * time.Millisecond
	// parkFrom is the minimum interval between free permits at which attempts are parked.
	parkFrom = 250 * time.Millisecond
	// mostRateWait is the longest time that an attempt waits for a rate before it asks again.
	mostRateWait = time.Minute
)

// plan is what a pool does for its waiting attempts, given a State of the limit.
type plan struct {
	// next is the new State. It is written if writes is true.
	next   limits.State
	writes bool
	// called are the parked attempts to call.
	called []limits.Who
	// served are the waiters that get permits, and back are the waiters that leave the process and
	// return later. until is when the permits of the process expire, by its own clock.
	served []servedWaiter
	back   []returningWaiter
	until  time.Time
	// knows is the set of waiters that the plan considers.
	knows map[*waiter]bool
	// wait is the expected wait of the waiting attempts. look is how long to wait before the next read of the item,
	// which shows permits that other processes have given to this process.
	wait, look time.Duration
	// within, used and usedBy are the values that the plan writes to the item.
	within, used time.Duration
	usedBy       int
}

type servedWaiter struct {
	x  *waiter
	at time.Time
}

type returningWaiter struct {
	x         *waiter
	due, turn time.Time
	// out is the waiter's outcome.
	out outcome
}

// plan returns the plan for a State. The caller holds the lock.
func (p *pool) plan(l *limiter, s limits.State, now time.Time) plan {
	made := plan{within: p.waitlist.within, used: p.use.used, usedBy: p.use.usedBy, knows: map[*waiter]bool{}, until: p.hold.until, look: mostPoll}
	for _, x := range p.waitlist.waiting {
		made.knows[x] = true
		n, perMS := x.t.item.Retry.Limit, int64(0)
		if p.rate {
			n, perMS = x.t.item.Retry.Rate, x.t.item.Retry.RateMS
		}
		// A number that different code declares applies as long as that code requests permits.
		if n != s.N || perMS != s.PerMS {
			made.writes = made.writes || n != s.Other.N || perMS != s.Other.PerMS || s.Other.Asked+limits.MaxWait.Milliseconds() <= now.UnixMilli()
		}
		s = s.Declares(n, perMS, now)
		s.Version--
		if s.Unpark(x.t.who()) {
			made.writes = true
		}
	}
	if p.rate {
		p.planRate(&made, s, now)
	} else {
		p.planLimit(l, &made, s, now)
	}
	made.next.By = p.token
	return made
}

// planLimit is plan for a limit.
func (p *pool) planLimit(l *limiter, made *plan, s limits.State, now time.Time) {
	margin := l.Settings.Attempt.VisibilityMargin
	g := s.Group(p.token)
	if g.Until <= now.UnixMilli() {
		g.Have = 0
	}
	if g.Have > p.hold.have {
		// Other processes have given this process permits since it last read
		// the item.
		made.until = latest(made.until, p.io.looked.Add(p.waitlist.within-margin))
	}
	keep := len(p.hold.users)
	var ask, hidden []*waiter
	var needs time.Duration
	for _, x := range p.waitlist.waiting {
		if x.hidden {
			hidden = append(hidden, x)
			continue
		}
		if !p.io.unsure && g.Have > keep && s.Held() <= s.Permits() && !x.overtakes(&s, now) && !now.Add(x.needs).After(made.until) {
			made.served = append(made.served, servedWaiter{x, now})
			keep++
			continue
		}
		ask, needs = append(ask, x), max(needs, x.needs)
	}
	made.within = needs + limits.Spare + margin
	with := func(want int) limits.State {
		return s.With(limits.Holding{Token: p.token, Keep: keep, Want: want, Within: made.within, Used: made.used, UsedBy: made.usedBy}, now)
	}
	// Parked attempts are served before attempts that have just arrived.
	came := 0
	for _, x := range ask {
		if !x.overtakes(&s, now) {
			came++
		}
	}
	made.next = with(came)
	if made.called = made.next.Call(now); len(made.called) > 0 {
		made.writes = true
	}
	s.Parked = made.next.Parked
	made.next = with(len(ask))
	given := made.next.Group(p.token).Have - min(g.Have, keep)
	for _, x := range ask[:given] {
		made.served = append(made.served, servedWaiter{x, now})
		made.until = latest(made.until, now.Add(made.within-margin))
	}
	_, groups := made.next.Before(p.token, 0, now)
	wait := func(n int) (time.Duration, bool) {
		before, _ := made.next.Before(p.token, n, now)
		return made.next.Wait(before, now)
	}
	stay := 0
	var back []*waiter
	for _, x := range ask[given:] {
		d, comes := wait(stay + 1)
		if comes && groups < limits.MaxWaitingGroups && p.mayStay(x, made, d, now) {
			stay++
		} else {
			back = append(back, x)
		}
	}
	if len(back) > 0 {
		made.next = with(given + stay)
	}
	made.writes = made.writes || p.io.unsure || given > 0 || keep < g.Have || stay != g.Want ||
		stay > 0 && g.Waits-now.UnixMilli() < limits.GroupWait.Milliseconds()/3
	for _, x := range hidden {
		if made.next.Free() <= 0 && made.next.Park(x.t.who(), x.due) {
			made.writes = true
			made.back = append(made.back, returningWaiter{x, x.due, x.turn, isParked})
		} else {
			made.back = append(made.back, returningWaiter{x, x.due, x.turn, shows})
		}
	}
	if n := made.next.Permits(); n > 0 {
		first, _ := wait(stay + 1)
		for _, x := range back {
			apart := max(made.next.Takes(now)/time.Duration(n), time.Millisecond)
			until := x.asksBy(limits.MaxWait)
			if apart >= parkFrom && l.mayPark(x.t) && len(made.next.Parked) < limits.MaxParked {
				made.back = append(made.back, returningWaiter{x, until, now.Add(first), hides})
				continue
			}
			p.sendBack(made, x, limits.MaxWait, first, apart, now)
		}
	} else {
		for _, x := range back {
			p.sendBack(made, x, limits.MaxWait, 0, 0, now)
		}
	}
	made.wait, _ = wait(stay)
	made.look = p.nextLook(made, groups, stay, now)
}

// mayStay reports whether an attempt waits in its process, given its expected wait d.
func (p *pool) mayStay(x *waiter, made *plan, d time.Duration, now time.Time) bool {
	b, r := x.t.batch, x.t.item.Retry
	if end, bounded := attempt.TotalEnd(r, time.UnixMilli(x.t.item.ScheduledAtMS)); bounded && !end.After(now) || x.asked && !x.hasTime() {
		return false
	}
	// Waiting costs nothing while another attempt of the invocation runs.
	beside := func(other *waiter) bool { return other.t.batch == b }
	if b.works() || slices.ContainsFunc(p.hold.users, beside) || slices.ContainsFunc(made.served, func(s servedWaiter) bool { return beside(s.x) }) {
		return true
	}
	return !x.overtakes(&made.next, now) && d <= x.inside() && now.Sub(x.since) < 2*x.inside()
}

// overtakes reports whether a new waiter would be served before earlier attempts that wait outside
// the process.
func (x *waiter) overtakes(s *limits.State, now time.Time) bool {
	return !x.asked && !x.returns() && (s.Tail > now.UnixMilli() || len(s.Parked) > 0)
}

// returns reports whether a waiter has already waited and come back through the queue.
func (x *waiter) returns() bool { return x.t.item.TurnMS > 0 || x.t.ReceiveCount > 1 }

// inside is the longest wait that an attempt may expect and still wait in its process. It grows
// each time that the attempt returns, so that the attempt gets its turn.
func (x *waiter) inside() time.Duration {
	return time.Duration(min(x.t.item.Hops+max(x.t.ReceiveCount, 1), 5)) * mostInside
}

// sendBack makes an attempt return when its turn is expected: after first at the earliest, and apart after the last
// attempt that was sent back. apart is 0 if no permit will become free.
func (p *pool) sendBack(made *plan, x *waiter, longest, first, apart time.Duration, now time.Time) {
	last := x.asksBy(longest)
	turn := time.UnixMilli(x.t.item.TurnMS)
	if apart == 0 || turn.Sub(now) < mostInside {
		turn = last
		if apart > 0 {
			turn = made.next.Back(now, max(first, mostInside), apart, x.returns())
			made.writes = true
		}
	}
	made.back = append(made.back, returningWaiter{x, earliest(turn.Add(-early), last), turn, sentBack})
}

// asksBy returns the latest time at which a waiter asks again: when longest has passed since it
// started to wait in this process, or at the end of its total timeout.
func (x *waiter) asksBy(longest time.Duration) time.Time {
	by := x.since.Add(longest)
	if end, bounded := attempt.TotalEnd(x.t.item.Retry, time.UnixMilli(x.t.item.ScheduledAtMS)); bounded {
		by = earliest(by, end)
	}
	return by
}

// waitsSince returns when an attempt started to wait for a permit.
func (x *waiter) waitsSince() time.Time {
	if ms := x.t.item.WaitsMS; ms > 0 {
		return time.UnixMilli(ms)
	}
	return x.since
}

// nextLook returns how long to wait before the next read of the item, which shows permits that other processes have
// given to this process.
func (p *pool) nextLook(made *plan, groups, stay int, now time.Time) time.Duration {
	if stay == 0 {
		return mostPoll
	}
	g := made.next.Group(p.token)
	if made.next.Held() == g.Have {
		return mostInside // No other process has a permit.
	}
	ahead := made.next.Ahead(p.token)
	wait, _ := made.next.Wait(ahead+1, now)
	if g.Have > 0 {
		wait = max(wait, 4*made.next.Takes(now), 32*leastPoll) // Until then the attempts of this process pass on the permits that it has.
	}
	waited := now.Sub(p.waitlist.waiting[0].since)
	return min(max(wait/16, waited/16, leastPoll*time.Duration(1+ahead)), mostPoll)
}

// planRate is plan for a rate.
func (p *pool) planRate(made *plan, s limits.State, now time.Time) {
	made.next = s.Declares(s.N, s.PerMS, now)
	for _, x := range p.waitlist.waiting {
		n, span := x.t.item.Retry.Rate, time.Duration(x.t.item.Retry.RateMS)*time.Millisecond
		soonest := now.Add(min(lead, span/50))
		last := now.Add(x.inside())
		if x.overtakes(&made.next, now) {
			last = soonest
		}
		taken, free := made.next.Pass(1, n, span, soonest, last)
		if len(taken) > 0 {
			made.served = append(made.served, servedWaiter{x, taken[0]})
			made.writes = true
			continue
		}
		apart := time.Duration(0)
		if n, span := made.next.Rate(n, span); n > 0 {
			apart = max(span/time.Duration(n), time.Millisecond)
		}
		p.sendBack(made, x, mostRateWait, free.Sub(now), apart, now)
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
