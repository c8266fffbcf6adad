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
	// replaced is set if an outgoing message of the step was replaced by another, which must still
	// be sent.
	replaced bool
}

// take sends the outgoing messages of a step that have this route.
func (d *dispatcher) take(ctx context.Context, r route, step []*outgoing) {
	var messages []*outgoing
	for _, p := range step {
		if p.route == r && !p.done {
			messages = append(messages, p)
		}
	}
	switch {
	case r == toBus:
		d.takeMoments(ctx, messages)
		return
	case r == toActivity:
		d.takeAttempts(ctx, messages)
		return
	case r >= toDelay:
		to, name := d.by.To.of(r)
		d.takeMessages(ctx, to, name, messages)
		return
	}
	if len(messages) == 0 {
		return
	}
	attempts := timerAttempts
	if r <= toStop {
		attempts = 1 // A store repeats its calls itself.
	}
	d.sideBySide(len(messages), func(i int) {
		d.call(ctx, attempts, func() error { return d.takeOne(ctx, messages[i]) })
	})
}

// takeOne puts an answer, asks an activity to stop, or creates or removes a schedule. If the timer
// service refuses a time in the past, the timer is delivered at once and no error is returned.
func (d *dispatcher) takeOne(ctx context.Context, p *outgoing) error {
	switch p.route {
	case toAnswer:
		if err := d.by.To.Answers.PutAnswer(ctx, p.answer); err != nil {
			return fmt.Errorf("could not put the answer to update %q of instance %q: %w", p.answer.ID, p.answer.Instance, err)
		}
	case toStop:
		if err := d.by.To.Stops.RequestStop(ctx, p.stop.key, p.stop.reason, d.by.Clock.Now().Add(delivery.Retention)); err != nil {
			return fmt.Errorf("could not ask activity %d of instance %q to stop: %w", p.stop.key.EventID, p.stop.key.Instance, err)
		}
	case toRemoval:
		if err := d.by.To.Timer.Cancel(ctx, p.schedule.Name); err != nil {
			return fmt.Errorf("could not remove the schedule: %w", err)
		}
	case toSchedule:
		err := d.by.To.Timer.Schedule(ctx, p.schedule)
		if errors.Is(err, timer.ErrPast) {
			p.route, p.msg = toDelay, queue.Outgoing{Body: p.schedule.Body, Delay: edge.QueueDelay(p.schedule.Due.Sub(d.by.Clock.Now()))}
			return nil
		}
		if err != nil {
			return fmt.Errorf("could not create schedule %q: %w", p.schedule.Name, err)
		}
	}
	p.done = true
	return nil
}

// takeAttempts sends attempts to their queues, one queue after the other.
func (d *dispatcher) takeAttempts(ctx context.Context, messages []*outgoing) {
	for len(messages) > 0 {
		to := d.by.To.Queues.OfAttempts(messages[0].queue)
		var same, others []*outgoing
		for _, p := range messages {
			if d.by.To.Queues.OfAttempts(p.queue) == to {
				same = append(same, p)
			} else {
				others = append(others, p)
			}
		}
		d.takeMessages(ctx, to, "activity", same)
		messages = others
	}
}

// takeMessages sends messages to one queue, in batches of the size that SQS accepts. A batch waits
// for an earlier one that has a message of the same group.
func (d *dispatcher) takeMessages(ctx context.Context, to queue.Queue, name string, messages []*outgoing) {
	if len(messages) == 0 {
		return
	}
	msgs, pending := make([]queue.Outgoing, len(messages)), make([]int, len(messages))
	for i, p := range messages {
		msgs[i], pending[i] = p.msg, i
	}
	var rounds [][][]int // batches, grouped by the number of batches that each has to wait for
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
			batch, of := make([]queue.Outgoing, len(batches[i])), make([]*outgoing, len(batches[i]))
			for n, at := range batches[i] {
				batch[n], of[n] = msgs[at], messages[at]
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

// outcome records the result of a call for each of its outgoing messages. A message that the queue
// rejects because of its content is replaced, because it would be rejected every time; any other
// error may be temporary and is returned.
func (d *dispatcher) outcome(ctx context.Context, of []*outgoing, err error) error {
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

// replace replaces an outgoing message in the same step and at the same position, so that the order
// and the progress of the dispatch stay the same.
func (d *dispatcher) replace(ctx context.Context, p *outgoing, rejected *queue.RejectedError) error {
	if p.instead == nil {
		return rejected
	}
	out := d.by.New()
	out.Chain.Depth = p.depth
	p.instead(out, rejected)
	if out.err != nil {
		return errors.Join(rejected, out.err)
	}
	d.by.Logger.WarnContext(ctx, "message rejected by its queue; a failure or a dead letter is sent instead",
		"execution_id", p.at.execution, "event_id", p.at.event, "error", rejected)
	d.by.tell(ctx, out.reported.refused)
	by := out.messages[0]
	p.route, p.queue, p.msg, p.instead = by.route, by.queue, by.msg, by.instead
	d.mu.Lock()
	defer d.mu.Unlock()
	d.replaced = true
	return nil
}

// replacements reports whether messages of the step were replaced since the last call.
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

// call calls f, unless the dispatch must stop. If the timer service returns a temporary error, call
// repeats f, up to the given number of attempts.
func (d *dispatcher) call(ctx context.Context, attempts int, f func() error) {
	var err error
	for n := 1; !d.stopped(); n++ {
		if !clock.HasTime(d.deadline, d.by.Clock, d.by.Settings.MinRemaining) {
			d.stop(nil)
			break
		}
		last := f()
		if last == nil {
			return
		}
		if err == nil || ctx.Err() == nil {
			err = last // The error of an abandoned call is less useful than the error before it.
		}
		if n >= attempts || !errors.Is(err, timer.ErrUnavailable) || !backoff.Pause(ctx, d.by.Clock, d.by.Random, n, d.by.Settings.MinRemaining) {
			break
		}
	}
	if err != nil {
		d.stop(err) // Also if there was no time for a further attempt, because the error gives the reason.
	}
}

// stop prevents all further calls. A nil error means that the invocation has no time left.
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

// err returns why the dispatch stopped: the first errors, and how many there were.
func (d *dispatcher) err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	errs := d.failed
	if more := len(errs) - maxSendErrors; more > 0 {
		errs = append(errs[:maxSendErrors:maxSendErrors], fmt.Errorf("and %d more", more))
	}
	if d.cut || !clock.HasTime(d.deadline, d.by.Clock, d.by.Settings.MinRemaining) {
		errs = append([]error{ErrCutShort}, errs...)
	}
	return errors.Join(errs...)
}
