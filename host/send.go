package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/host/internal/backoff"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/host/internal/random"
	"github.com/turnstile-go/turnstile/host/internal/sharing"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
)

// errCutShort is wrapped by the error of a dispatch that stopped because the
// invocation was about to end. The messages of its turn come back and go on
// with it.
var errCutShort = errors.New("host: the invocation has no time left to go on with the dispatch")

const (
	// stepParcels is how many parcels a step has for each call side by side: a
	// batch. None of the next step is sent before all of this one are, and none
	// is begun that may not come to its end. Of one that does not, what stands
	// behind the first parcel that was not sent is sent again: so a step has to
	// fit into an invocation.
	stepParcels = queue.MaxBatch
	// timerAttempts is how often a call of the timer service is made that is
	// throttled, or fails for another passing reason: within eleven seconds.
	// Queues and stores repeat their calls by themselves.
	timerAttempts = 8
	// maxSendErrors is how many errors of one dispatch are told.
	maxSendErrors = 3
)

// sender sends parcels. It knows queues, requests to stop and the timer service, and
// nothing of instances.
type sender struct {
	Queues Queues
	Stops  store.Activities
	Timer  timer.Timer
	clock  clock.Clock
	random *random.Source
	// parallel calls are made side by side, by together.
	parallel int
	together func(n int, f func())
	// least is how much an invocation must have left for a call to be begun;
	// retention is how long a request to stop is kept.
	least, retention time.Duration
}

func (o *Orchestrator) sender() *sender {
	return &sender{Queues: o.Queues, Stops: o.Stops, Timer: o.Timer, clock: o.Clock, random: o.random,
		parallel: o.Settings.DispatchParallelism, together: o.Together, least: o.Settings.DispatchTime, retention: o.Settings.StopRetention}
}

// send sends parcels, step by step, and marks those that are in. Within a
// step it goes route by route; the calls of a route are made side by side.
// Order is kept where somebody can see it: messages of one FIFO group go one
// after the other. It stops behind the first failure, and when the invocation
// is about to end.
func (s *sender) send(ctx context.Context, parcels []parcel) error {
	d := &dispatcher{sender: s, deadline: ctx}
	if left, bounded := clock.Left(ctx, s.clock); bounded && len(parcels) > 0 {
		// What is under way near the end is given up while there is time left
		// to hand the messages back: a process that is killed is suspected.
		within, cancel := context.WithCancel(ctx)
		defer cancel()
		defer s.clock.AfterFunc(left-s.least/2, cancel)()
		ctx = within
	}
	for rest, first := parcels, true; len(rest) > 0; first = false {
		if !first && !clock.HasTime(d.deadline, s.clock, 2*s.least) {
			d.stop(nil)
			return d.err()
		}
		var step []*parcel
		for len(rest) > 0 && len(step) < stepParcels*max(s.parallel, 1) {
			if !rest[0].done {
				step = append(step, &rest[0])
			}
			rest = rest[1:]
		}
		for r := range routes {
			if d.take(ctx, r, step); d.stopped() {
				return d.err()
			}
		}
	}
	return nil
}

// dispatcher makes the calls of one dispatch.
type dispatcher struct {
	*sender
	// deadline is the context that has the deadline of the invocation.
	deadline context.Context

	mu     sync.Mutex
	failed []error
	cut    bool
}

// take sends what of a step goes one way.
func (d *dispatcher) take(ctx context.Context, r route, step []*parcel) {
	var parcels []*parcel
	for _, p := range step {
		if p.route == r {
			parcels = append(parcels, p)
		}
	}
	if r >= toDelay {
		d.takeMessages(ctx, r, parcels)
		return
	}
	d.sideBySide(len(parcels), func(i int) {
		p := parcels[i]
		switch r {
		case toStop:
			d.call(ctx, parcels[i:i+1], 1, func() error {
				if err := d.Stops.RequestStop(ctx, p.stop.key, p.stop.reason, d.clock.Now().Add(d.retention)); err != nil {
					return fmt.Errorf("activity %d of instance %q not asked to stop: %w", p.stop.key.EventID, p.stop.key.Instance, err)
				}
				return nil
			})
		case toRemoval:
			d.call(ctx, parcels[i:i+1], timerAttempts, func() error {
				if err := d.Timer.Cancel(ctx, p.schedule.Name); err != nil {
					return fmt.Errorf("schedule not removed: %w", err)
				}
				return nil
			})
		case toSchedule:
			past := false
			d.call(ctx, nil, timerAttempts, func() error {
				err := d.Timer.Schedule(ctx, p.schedule)
				if past = errors.Is(err, timer.ErrPast); err != nil && !past {
					return fmt.Errorf("schedule %q not created: %w", p.schedule.Name, err)
				}
				p.done = !past
				return nil
			})
			if past {
				// A schedule in the past is never an error: it is delivered at
				// once.
				p.route, p.msg = toDelay, queue.Outgoing{Body: p.schedule.Body, Delay: edge.QueueDelay(p.schedule.Due.Sub(d.clock.Now()))}
			}
		}
	})
}

// takeMessages sends messages to one queue, in batches as SQS takes them. A
// batch with a message of a group that an earlier one has a message of waits
// for that one.
func (d *dispatcher) takeMessages(ctx context.Context, r route, parcels []*parcel) {
	if len(parcels) == 0 {
		return
	}
	to, name := d.queueOf(r)
	msgs, pending := make([]queue.Outgoing, len(parcels)), make([]int, len(parcels))
	for i, p := range parcels {
		msgs[i], pending[i] = p.msg, i
	}
	var rounds [][][]int // batches, by how many wait for each other
	behind := map[string]int{}
	for len(pending) > 0 {
		var batch []int
		batch, pending = queue.NextBatch(to.FIFO(), msgs, pending)
		round := 0
		if to.FIFO() {
			for _, i := range batch {
				round = max(round, behind[msgs[i].Group])
			}
			for _, i := range batch {
				behind[msgs[i].Group] = round + 1
			}
		}
		if round == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[round] = append(rounds[round], batch)
	}
	for _, batches := range rounds {
		d.sideBySide(len(batches), func(i int) {
			batch, of := make([]queue.Outgoing, len(batches[i])), make([]*parcel, len(batches[i]))
			for n, at := range batches[i] {
				batch[n], of[n] = msgs[at], parcels[at]
			}
			d.call(ctx, of, 1, func() error {
				if err := to.Send(ctx, batch...); err != nil {
					return fmt.Errorf("%d messages for the %s queue: %w", len(batch), name, err)
				}
				return nil
			})
		})
	}
}

func (s *sender) queueOf(r route) (to queue.Queue, name string) {
	switch r {
	case toDelay:
		return s.Queues.Delay, "delay"
	case toActivity:
		return s.Queues.Activity, "activity"
	case toOrchestrator:
		return s.Queues.Orchestrator, "orchestrator"
	}
	return s.Queues.DeadStandard, "dead-letter"
}

func (d *dispatcher) sideBySide(n int, f func(i int)) {
	if !d.stopped() {
		sharing.SideBySide(d.parallel, n, sharing.TogetherIn(d.deadline, d.together), f)
	}
}

// call makes a call that sends parcels, unless the dispatch is to stop; up to
// so many times, where it fails for a passing reason of the timer service.
func (d *dispatcher) call(ctx context.Context, parcels []*parcel, attempts int, f func() error) {
	for n := 1; !d.stopped(); n++ {
		if !clock.HasTime(d.deadline, d.clock, d.least) {
			d.stop(nil)
			return
		}
		err := f()
		if err == nil {
			for _, p := range parcels {
				p.done = true
			}
			return
		}
		if n >= attempts || !errors.Is(err, timer.ErrUnavailable) {
			d.stop(err)
			return
		}
		if err := backoff.Pause(ctx, d.clock, d.random, n); err != nil {
			d.stop(err)
		}
	}
}

// stop lets no further call be made. Without an error the invocation has no
// time left.
func (d *dispatcher) stop(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil {
		d.cut = true
		return
	}
	d.failed = append(d.failed, err)
}

func (d *dispatcher) stopped() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cut || len(d.failed) > 0
}

// err tells why the dispatch stopped: the first errors, and how many there were.
func (d *dispatcher) err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	errs := d.failed
	if more := len(errs) - maxSendErrors; more > 0 {
		errs = append(errs[:maxSendErrors:maxSendErrors], fmt.Errorf("and %d more", more))
	}
	if d.cut || !clock.HasTime(d.deadline, d.clock, d.least) {
		errs = append([]error{errCutShort}, errs...)
	}
	return errors.Join(errs...)
}
