package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
	"github.com/turnstile-go/turnstile/wire"
)

// errDispatch is wrapped by errors of sending what a commit asked for.
var errDispatch = errors.New("host: not everything was dispatched")

// outbox gathers what has to be sent because of a commit.
type outbox struct {
	o   *Orchestrator
	now time.Time

	stops     []stop
	removals  []string
	schedules []timer.Schedule
	delayed   []queue.Outgoing
	// activities go to the activity queue, fifo to the orchestrator queue.
	activities []queue.Outgoing
	fifo       []queue.Outgoing
	// refused are dead letters in place of what no message can hold.
	refused []queue.Outgoing

	actions []Action
	err     error
}

type stop struct {
	key    store.ActivityKey
	reason string
}

func (o *Orchestrator) newOutbox() *outbox { return &outbox{o: o, now: o.Clock.Now()} }

// send adds an item for the orchestrator queue.
func (out *outbox) send(item *wire.Item) error {
	body, err := out.o.edge.encode(item)
	if err == nil {
		out.fifo = append(out.fifo, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)})
	}
	return err
}

// later adds an item for the delay queue.
func (out *outbox) later(item *wire.Item, due time.Time) error {
	body, err := out.o.edge.encode(item)
	if err == nil {
		out.delayed = append(out.delayed, queue.Outgoing{Body: body, Delay: queueDelay(due.Sub(out.now))})
	}
	return err
}

func (out *outbox) failed(err error) { out.err = errors.Join(out.err, err) }

// flush sends everything. An error says that some of it may not have been
// sent; the messages of the turn then come back, and it is sent again.
func (out *outbox) flush(ctx context.Context) error {
	began := out.o.Clock.Now()
	err := out.err
	if err == nil {
		err = out.sendAll(ctx)
	}
	out.o.Observer.Timing(TimeDispatch, out.o.Clock.Now().Sub(began))
	if err != nil {
		return fmt.Errorf("%w: %w", errDispatch, err)
	}
	return nil
}

func (out *outbox) sendAll(ctx context.Context) error {
	o := out.o
	for _, s := range out.stops {
		if err := o.Stops.RequestStop(ctx, s.key, s.reason, out.now.Add(o.Settings.StopRetention)); err != nil {
			return fmt.Errorf("activity %d of instance %q not asked to stop: %w", s.key.EventID, s.key.Instance, err)
		}
	}
	if o.Timer != nil {
		for _, name := range out.removals {
			if err := o.Timer.Cancel(ctx, name); err != nil {
				return fmt.Errorf("schedule not removed: %w", err)
			}
		}
	}
	for _, s := range out.schedules {
		err := o.Timer.Schedule(ctx, s)
		if errors.Is(err, timer.ErrPast) {
			// A schedule in the past is never an error: it is delivered at once.
			out.delayed = append(out.delayed, queue.Outgoing{Body: s.Body, Delay: queueDelay(s.Due.Sub(out.now))})
			continue
		}
		if err != nil {
			return fmt.Errorf("schedule %q not created: %w", s.Name, err)
		}
	}
	for _, to := range []struct {
		queue queue.Queue
		msgs  []queue.Outgoing
		what  string
	}{
		{o.Queues.Delay, out.delayed, "delay"},
		{o.Queues.Activity, out.activities, "activity"},
		{o.Queues.Orchestrator, out.fifo, "orchestrator"},
		{o.Queues.DeadStandard, out.refused, "dead-letter"},
	} {
		if len(to.msgs) == 0 {
			continue
		}
		if err := to.queue.Send(ctx, to.msgs...); err != nil {
			return fmt.Errorf("%d messages for the %s queue: %w", len(to.msgs), to.what, err)
		}
	}
	return nil
}

// sendFailure is the failure for a value that no message can hold.
func sendFailure(err error, what string) *history.Failure {
	f := &history.Failure{Kind: history.FailureInvalidInput, Message: fmt.Sprintf("the %s can't be sent: %v", what, err)}
	if tooLarge(err) {
		f.Kind = history.FailureTooLarge
	}
	return f
}

func tooLarge(err error) bool {
	var parse *wire.ParseError
	var invalid *queue.InvalidMessageError
	return errors.As(err, &parse) && parse.Reason == wire.ReasonTooLarge || errors.As(err, &invalid)
}

// queueDelay returns the delay of a message that is due after rest: whole
// seconds, rounded up so that it does not come early, at most what a queue can
// wait. Who receives it too early sends it round for the rest.
func queueDelay(rest time.Duration) time.Duration {
	seconds := (rest + time.Second - 1) / time.Second * time.Second
	return min(max(seconds, 0), queue.MaxDelay)
}

// sendRound sends an item round through the delay queue.
func (o *Orchestrator) sendRound(ctx context.Context, item *wire.Item, due time.Time, attributes ...map[string]string) error {
	round := *item
	round.Hops++
	body, err := o.edge.again(&round)
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	out := queue.Outgoing{Body: body, Delay: queueDelay(due.Sub(o.Clock.Now()))}
	for _, a := range attributes {
		out.Attributes = a
	}
	if err := o.Queues.Delay.Send(ctx, out); err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	return nil
}
