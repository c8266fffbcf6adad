// Package sharing combines queue calls that are made concurrently in one invocation.
//
// Each queue call is billed, and takes as long for ten messages as for one. So if several groups or
// attempts of one invocation send to a queue at the same time, their messages share one call. Each
// sender waits for its own messages and gets only their results: it acknowledges nothing before its
// messages are accepted, and a message that SQS refuses fails only its own sender.
//
// Where messages have an order it is kept: a sender that needs an order sends the second message
// after the first is accepted. Messages that share a call come from several concurrent senders and
// have no order.
package sharing

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// invocation has the calls of one invocation. The first sender waits for others to join its call,
// for at most the window, and only while the invocation has goroutines that could join; then it
// makes the call for all.
type invocation struct {
	clock  clock.Clock
	window time.Duration

	mu sync.Mutex
	// busy is the number of goroutines that may still send; waiting is the number of them that are
	// waiting in a call.
	busy, waiting int
	// open are the calls that can be joined; nil until there is one.
	open map[sharedKind]*sharedCall
}

// sharedKind separates calls that cannot be combined.
type sharedKind struct {
	queue *sharedQueue
	// hides is set for calls that set the visibility timeout to hidden.
	hides  bool
	hidden time.Duration
}

// sharedCall is a call that several senders make together.
type sharedCall struct {
	kind   sharedKind
	sends  []queue.Outgoing
	bytes  int
	hidden []queue.Message
	// callers is how many senders wait for it.
	callers int

	// full is closed when nothing can join any more, made when the call has returned; err is its
	// error.
	full, made chan struct{}
	isFull     bool
	err        error
}

// errNotMade is the error of a shared call that did not return.
var errNotMade = errors.New("host: a call that was shared with others did not return")

type sharingKey struct{}

// Start makes queue calls with the context share. The caller counts as the first goroutine that may
// send.
func Start(ctx context.Context, c clock.Clock, window time.Duration) context.Context {
	if window < 0 {
		return ctx
	}
	return context.WithValue(ctx, sharingKey{}, &invocation{clock: c, window: window, busy: 1})
}

// Alone makes calls with the context immediate: they do not wait for other calls, because their
// urgency outweighs the cost of a call.
func Alone(ctx context.Context) context.Context {
	return context.WithValue(ctx, sharingKey{}, (*invocation)(nil))
}

// of returns the invocation of a context; nil if calls are not shared.
func of(ctx context.Context) *invocation {
	s, _ := ctx.Value(sharingKey{}).(*invocation)
	return s
}

// come adds goroutines to busy; n may be negative.
func (s *invocation) come(n int) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy += n
	s.look()
}

// alone reports whether no other goroutine could share a call.
func (s *invocation) alone() bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy == 1 && len(s.open) == 0
}

// look makes the open calls if every goroutine waits for one of them. The caller holds
// the lock.
func (s *invocation) look() {
	if s.waiting < s.busy {
		return
	}
	for _, c := range s.open {
		s.fill(c)
	}
}

// fill closes a call, so that no further sender can join it. The caller holds the lock.
func (s *invocation) fill(c *sharedCall) {
	if s.open[c.kind] == c {
		delete(s.open, c.kind)
	}
	if !c.isFull {
		c.isFull = true
		close(c.full)
	}
}

// sharedQueue is a queue whose calls are shared within the invocation that the context
// names.
type sharedQueue struct{ queue.Queue }

// Queues makes the calls of these queues shared.
func Queues(queues ...*queue.Queue) {
	for _, each := range queues {
		*each = &sharedQueue{*each}
	}
}

// Named makes the calls of named queues shared; each name is one queue.
func Named(of func(name string) queue.Queue) func(name string) queue.Queue {
	if of == nil {
		return nil
	}
	var known sync.Map
	return func(name string) queue.Queue {
		if q, is := known.Load(name); is {
			return q.(queue.Queue)
		}
		q := of(name)
		if q == nil {
			return nil // The queue may exist later.
		}
		Queues(&q)
		first, _ := known.LoadOrStore(name, q)
		return first.(queue.Queue)
	}
}

// Send implements queue.Queue.
func (q *sharedQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	s, bytes := of(ctx), 0
	for _, m := range msgs {
		bytes += m.Size()
	}
	if s.alone() || len(msgs) == 0 || len(msgs) >= queue.MaxBatch || bytes > queue.MaxBatchBytes || q.ordered(msgs) {
		return q.Queue.Send(ctx, msgs...)
	}
	if err := queue.ValidateAll(q.FIFO(), msgs); err != nil {
		return err // An invalid message would prevent the messages of other senders from being sent.
	}
	return s.call(ctx, sharedKind{queue: q}, len(msgs), bytes, func(c *sharedCall) {
		for _, m := range msgs {
			m.Unordered = true
			c.sends = append(c.sends, m)
		}
	})
}

// ordered reports whether messages have to keep their order.
func (q *sharedQueue) ordered(msgs []queue.Outgoing) bool {
	if !q.FIFO() || len(msgs) == 1 {
		return false
	}
	groups := make(map[string]bool, len(msgs))
	for _, m := range msgs {
		groups[m.Group] = true
	}
	return len(groups) < len(msgs)
}

// SetVisibility implements queue.Queue.
func (q *sharedQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	s := of(ctx)
	if s.alone() || len(msgs) == 0 || len(msgs) >= queue.MaxBatch {
		return q.Queue.SetVisibility(ctx, d, msgs...)
	}
	// SQS uses whole seconds.
	kind := sharedKind{queue: q, hides: true, hidden: (d + time.Second - 1) / time.Second * time.Second}
	return s.call(ctx, kind, len(msgs), 0, func(c *sharedCall) { c.hidden = append(c.hidden, msgs...) })
}

// call adds n messages to the call of their kind, and returns the result for them after that call
// was made.
func (s *invocation) call(ctx context.Context, kind sharedKind, n, bytes int, add func(*sharedCall)) error {
	s.mu.Lock()
	c := s.open[kind]
	if c != nil && (c.len()+n > queue.MaxBatch || c.bytes+bytes > queue.MaxBatchBytes) {
		s.fill(c)
		c = nil
	}
	leads := c == nil
	if leads {
		c = &sharedCall{kind: kind, full: make(chan struct{}), made: make(chan struct{}), err: errNotMade}
		if s.open == nil {
			s.open = map[sharedKind]*sharedCall{}
		}
		s.open[kind] = c
	}
	at := c.len()
	add(c)
	if c.bytes += bytes; c.len() == queue.MaxBatch {
		s.fill(c)
	}
	s.waiting++
	c.callers++
	s.look()
	s.mu.Unlock()
	if leads {
		s.lead(ctx, c)
	} else {
		clock.Await(s.clock, c.made, 0)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.outcome(at, n)
}

// lead waits for other senders to join, and makes the call.
func (s *invocation) lead(ctx context.Context, c *sharedCall) {
	if s.window > 0 {
		clock.Await(s.clock, c.full, s.window)
	}
	s.mu.Lock()
	s.fill(c)
	s.mu.Unlock()
	err := errNotMade
	defer func() {
		s.mu.Lock()
		c.err = err
		// All of them continue now, and may send again.
		s.waiting -= c.callers
		s.mu.Unlock()
		close(c.made)
	}()
	if c.kind.hides {
		err = c.kind.queue.Queue.SetVisibility(ctx, c.kind.hidden, c.hidden...)
		return
	}
	err = c.kind.queue.Queue.Send(ctx, c.sends...)
}

func (c *sharedCall) len() int { return len(c.sends) + len(c.hidden) }

// outcome returns the result of the call for n of its messages. The caller holds the lock.
func (c *sharedCall) outcome(at, n int) error {
	failed := map[int]error{}
	for i := range n {
		err := queue.ErrorOf(c.err, at+i)
		if rejected, ok := errors.AsType[*queue.RejectedError](err); ok {
			own := *rejected
			own.Index = i
			err = &own
		}
		if err != nil {
			failed[i] = err
		}
	}
	return queue.Partial(failed, n)
}
