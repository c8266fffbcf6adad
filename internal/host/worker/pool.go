package worker

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// The attempts of a process that have the same limit share a pool, which is one group in the item
// of the limit. The pool takes and returns permits for all of them at once. In between, an attempt
// that ends passes its permit, without a write, to an attempt that waits in the process. An attempt
// waits in its process only for about as long as a return through the queue takes. Otherwise its
// message is sent again, delayed until its turn is expected (plan.go).

const (
	// gather is how long a pool waits for further attempts of a batch before it reads or writes.
	gather = 5 * time.Millisecond
	// gatherCrowded replaces gather if attempts already wait for the limit elsewhere. Without it, a
	// function that receives thousands of messages for one limit, and sends them back, would write
	// the item continuously.
	gatherCrowded = 100 * time.Millisecond
	// leastPoll and mostPoll limit the interval between two reads of the item, which show permits
	// that other processes have given to this process.
	leastPoll, mostPoll = 45 * time.Millisecond, 5 * time.Second
)

// pools are the pools of a process, by the names of their limits.
type pools struct {
	mu sync.Mutex
	of map[string]*pool
}

// pool is this process's share of a limit or a rate. pools.mu guards it.
type pool struct {
	// limit is the name of the limit; rate is true for the name of a rate.
	limit string
	rate  bool
	// token names the group of the process.
	token    string
	hold     holding
	waitlist waitingList
	io       access
	use      usage
	// named is when the names of waiting and holding attempts were last written. last is the last plan, until its names
	// are written.
	named time.Time
	last  *plan
}

// holding are the permits of a process.
type holding struct {
	// have is the number of permits that the process certainly holds up to the time until. users are the attempts that
	// use them.
	have  int
	until time.Time
	users []*waiter
	// over is set if more permits are held than the limit allows, so that a returned permit is not passed to another
	// attempt.
	over bool
}

// waitingList are the waiting attempts of a process.
type waitingList struct {
	// waiting are the attempts, in order.
	waiting []*waiter
	// wants is the number of further permits that the process requests, according to the item, each
	// for the duration within.
	wants  int
	within time.Duration
}

// access is the state of a process's reads and writes of a limit's item.
type access struct {
	// busy is set while a goroutine reads or writes. changed is closed when it has finished, or a permit has changed
	// hands.
	busy    bool
	changed chan struct{}
	// due is when to write the item, zero for never; poll is when to read it, and looked when it was last read.
	due, poll, looked time.Time
	// unsure is set if a call has failed, so that the content of the item is unknown. The next write resolves that.
	unsure bool
}

// usage is how long the permits that were returned since the last write had been held, and by how
// many attempts.
type usage struct {
	used   time.Duration
	usedBy int
}

// waiter is an attempt that asks a pool for a permit.
type waiter struct {
	t *task
	// needs is how long the attempt needs the permit. hasTime reports whether its invocation has
	// that much time left.
	needs   time.Duration
	hasTime func() bool
	// since is when the attempt started to wait in this process. asked is set if a plan has decided
	// that it waits.
	since time.Time
	asked bool
	// hidden is set if the message of the attempt is hidden until the attempt is due, as for a
	// parked attempt.
	hidden bool
	// out is its outcome.
	out outcome
	// at is when the attempt got its permit; for a rate, that may be in the future.
	at time.Time
	// due is when the attempt returns, and turn is when its turn is expected.
	due, turn time.Time
	err       error
}

// outcome is what a pool has decided for a waiter.
type outcome uint8

const (
	// waiting means that nothing has been decided yet.
	waiting outcome = iota
	// served means that the waiter has a permit.
	served
	// sentBack means that the waiter returns through the queue.
	sentBack
	// hides means that the waiter's message must be hidden before the item can list the waiter as
	// parked.
	hides
	// isParked means that the item lists the waiter as parked.
	isParked
	// shows means that the waiter's message is made visible again, because a permit has become free
	// or the list of parked attempts is full.
	shows
	// unserved means that the waiter failed with err.
	unserved
)

// errGone means that the process is shutting down.
var errGone = errors.New("worker: the process is shutting down")

// get returns the pool of a limit. A new pool gets the token.
func (all *pools) get(limit string, rate bool, token string) *pool {
	all.mu.Lock()
	defer all.mu.Unlock()
	p := all.of[limit]
	if p == nil {
		p = &pool{limit: limit, rate: rate, token: token, io: access{changed: make(chan struct{})}}
		if all.of == nil {
			all.of = map[string]*pool{}
		}
		all.of[limit] = p
	}
	return p
}

// wake wakes all attempts that wait for a pool, and deletes the pool if it has no state left. The caller holds the lock.
func (all *pools) wake(p *pool) {
	close(p.io.changed)
	p.io.changed = make(chan struct{})
	if all.of[p.limit] == p && !p.io.busy && !p.io.unsure && len(p.hold.users)+len(p.waitlist.waiting)+p.hold.have+p.waitlist.wants == 0 {
		delete(all.of, p.limit)
	}
}

// owes reports whether the item must be written before the process may become idle.
func (p *pool) owes() bool {
	return p.hold.have > len(p.hold.users) || p.waitlist.wants > 0 && len(p.waitlist.waiting) == 0
}

// soon schedules a write of the item, together with changes by other attempts of the batch. The caller holds the lock.
func (p *pool) soon(now time.Time, b *batch) {
	if !p.io.due.IsZero() {
		return
	}
	if p.io.due = now; b != nil && b.together() {
		p.io.due = now.Add(gather)
	}
}

// fail records that a call has failed: only the permits in use are certain. The caller holds the lock.
func (p *pool) fail(err error) {
	p.hold.have, p.io.unsure, p.io.due = len(p.hold.users), true, time.Time{}
	for len(p.waitlist.waiting) > 0 {
		x := p.waitlist.waiting[0]
		p.leaves(x, unserved)
		x.err = err
	}
}

// carry applies a plan that was made from a State seen at the given time. The caller holds the lock.
func (p *pool) carry(l *limiter, made *plan, at time.Time) {
	now := l.now()
	if made.writes {
		p.io.unsure, p.waitlist.within = false, made.within
		p.use.used, p.use.usedBy = p.use.used-made.used, p.use.usedBy-made.usedBy
	}
	p.io.looked, p.io.poll = at, now.Add(made.look)
	if !p.rate {
		g := made.next.Group(p.token)
		p.hold.have, p.waitlist.wants = g.Have, g.Want
	}
	p.hold.over = made.next.Held() > made.next.Permits()
	if made.until.After(p.hold.until) {
		p.hold.until = made.until
	}
	for _, s := range made.served {
		if s.x.out == waiting && (p.rate || p.hold.have > len(p.hold.users)) {
			p.serve(s.x, s.at)
		}
	}
	p.hand(now)
	for _, b := range made.back {
		if b.x.out == waiting {
			p.leaves(b.x, b.out)
			b.x.due, b.x.turn = b.due, b.turn
		}
	}
	for _, x := range p.waitlist.waiting {
		x.asked = x.asked || made.knows[x]
	}
}

// leaves removes a waiter from the waiting list. The caller holds the lock.
func (p *pool) leaves(x *waiter, out outcome) {
	p.waitlist.waiting = slices.DeleteFunc(p.waitlist.waiting, func(other *waiter) bool { return other == x })
	x.out = out
}

// serve gives a permit to a waiter. The caller holds the lock.
func (p *pool) serve(x *waiter, at time.Time) {
	p.leaves(x, served)
	if x.at = at; !p.rate {
		p.hold.users = append(p.hold.users, x)
	}
}

// hand gives unused permits of the process to its waiters, if the permits last as long as the waiters need. The caller
// holds the lock.
func (p *pool) hand(now time.Time) {
	for _, x := range slices.Clone(p.waitlist.waiting) {
		if x.asked && p.hold.have > len(p.hold.users) && !p.hold.over && !now.Add(x.needs).After(p.hold.until) {
			p.serve(x, now)
		}
	}
}
