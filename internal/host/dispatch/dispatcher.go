package dispatch

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
)

// dispatcher makes the calls of one dispatch.
type dispatcher struct {
	by *Sender
	// deadline is the context that has the deadline of the invocation.
	deadline context.Context

	mu     sync.Mutex
	failed []error
	cut    bool
	// replaced: a parcel of the step has become another, which is to be sent.
	replaced bool
}

// take sends what of a step goes one way.
func (d *dispatcher) take(ctx context.Context, r route, step []*parcel) {
	var parcels []*parcel
	for _, p := range step {
		if p.route == r && !p.done {
			parcels = append(parcels, p)
		}
	}
	switch {
	case r == toBus:
		d.takeMoments(ctx, parcels)
		return
	case r == toActivity:
		d.takeAttempts(ctx, parcels)
		return
	case r >= toDelay:
		to, name := d.by.To.of(r)
		d.takeMessages(ctx, to, name, parcels)
		return
	}
	if len(parcels) == 0 {
		return
	}
	attempts := timerAttempts
	if r == toStop {
		attempts = 1
	}
	d.sideBySide(len(parcels), func(i int) {
		d.call(ctx, attempts, func() error { return d.takeOne(ctx, parcels[i]) })
	})
}

// takeOne asks an activity to stop, or makes or removes a schedule. It is never an
// error that the timer service refuses a time as past: the timer is then delivered
// at once.
func (d *dispatcher) takeOne(ctx context.Context, p *parcel) error {
	switch p.route {
	case toStop:
		if err := d.by.To.Stops.RequestStop(ctx, p.stop.key, p.stop.reason, d.by.Clock.Now().Add(delivery.Retention)); err != nil {
			return fmt.Errorf("activity %d of instance %q not asked to stop: %w", p.stop.key.EventID, p.stop.key.Instance, err)
		}
	case toRemoval:
		if err := d.by.To.Timer.Cancel(ctx, p.schedule.Name); err != nil {
			return fmt.Errorf("schedule not removed: %w", err)
		}
	case toSchedule:
		err := d.by.To.Timer.Schedule(ctx, p.schedule)
		if errors.Is(err, timer.ErrPast) {
			p.route, p.msg = toDelay, queue.Outgoing{Body: p.schedule.Body, Delay: edge.QueueDelay(p.schedule.Due.Sub(d.by.Clock.Now()))}
			return nil
		}
		if err != nil {
			return fmt.Errorf("schedule %q not created: %w", p.schedule.Name, err)
		}
	}
	p.done = true
	return nil
}

// takeAttempts sends attempts to their queues, one queue after the other.
func (d *dispatcher) takeAttempts(ctx context.Context, parcels []*parcel) {
	for len(parcels) > 0 {
		to := d.by.To.Queues.OfAttempts(parcels[0].queue)
		var same, others []*parcel
		for _, p := range parcels {
			if d.by.To.Queues.OfAttempts(p.queue) == to {
				same = append(same, p)
			} else {
				others = append(others, p)
			}
		}
		d.takeMessages(ctx, to, "activity", same)
		parcels = others
	}
}

// takeMessages sends messages to one queue, in batches as SQS takes them. A
// batch with a message of a group that an earlier one has a message of waits
// for that one.
func (d *dispatcher) takeMessages(ctx context.Context, to queue.Queue, name string, parcels []*parcel) {
	if len(parcels) == 0 {
		return
	}
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
			d.call(ctx, 1, func() error {
				if err := d.outcome(ctx, of, to.Send(ctx, batch...)); err != nil {
					return fmt.Errorf("%d messages for the %s queue: %w", len(batch), name, err)
				}
				return nil
			})
		})
	}
}

// outcome notes of each parcel of a call what the call says of it. A message that the
// queue rejects for what it is becomes what is sent in its place, since it would be
// rejected each time; any other error may pass, and is returned.
func (d *dispatcher) outcome(ctx context.Context, of []*parcel, err error) error {
	var failed map[int]error
	for n, p := range of {
		err := queue.ErrorOf(err, n)
		if rejected, is := errors.AsType[*queue.RejectedError](err); is && rejected.Index == n {
			err = d.replace(ctx, p, rejected)
		} else {
			p.done = err == nil
		}
		if err == nil {
			continue
		}
		if failed == nil {
			failed = map[int]error{}
		}
		failed[n] = err
	}
	return queue.Partial(failed, len(of))
}

// replace puts something else in the place of a parcel, in the same step and at the same
// position: what comes before it and after it, and how far the dispatch came, stay the
// same.
func (d *dispatcher) replace(ctx context.Context, p *parcel, rejected *queue.RejectedError) error {
	if p.instead == nil {
		return rejected
	}
	out := d.by.New()
	out.Chain.Depth = p.depth
	p.instead(out, rejected)
	if out.err != nil {
		return errors.Join(rejected, out.err)
	}
	d.by.Logger.WarnContext(ctx, "message rejected by its queue; a failure or a dead letter goes in its place",
		"execution_id", p.at.execution, "event_id", p.at.event, "error", rejected)
	d.by.tell(ctx, out.told.refused)
	by := out.parcels[0]
	p.route, p.queue, p.msg, p.instead = by.route, by.queue, by.msg, by.instead
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replaced = true
	return nil
}

// replacements reports whether parcels of the step have been replaced, and forgets it.
func (d *dispatcher) replacements() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	replaced := d.replaced
	d.replaced = false
	return replaced
}

func (d *dispatcher) sideBySide(n int, f func(i int)) {
	if !d.stopped() {
		sharing.SideBySide(d.deadline, d.by.Settings.Parallelism, n, d.by.Together, f)
	}
}

// call makes a call, unless the dispatch is to stop; up to so many times, where it
// fails for a passing reason of the timer service.
func (d *dispatcher) call(ctx context.Context, attempts int, f func() error) {
	var err error
	for n := 1; !d.stopped(); n++ {
		if !clock.HasTime(d.deadline, d.by.Clock, d.by.Settings.Time) {
			d.stop(nil)
			break
		}
		last := f()
		if last == nil {
			return
		}
		if err == nil || ctx.Err() == nil {
			err = last // A call that is given up says less than the one before.
		}
		if n >= attempts || !errors.Is(err, timer.ErrUnavailable) || backoff.Pause(ctx, d.by.Clock, d.by.Random, n) != nil {
			break
		}
	}
	if err != nil {
		d.stop(err) // Also if there was no time for another attempt: it says why.
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
	if d.cut || !clock.HasTime(d.deadline, d.by.Clock, d.by.Settings.Time) {
		errs = append([]error{ErrCutShort}, errs...)
	}
	return errors.Join(errs...)
}
