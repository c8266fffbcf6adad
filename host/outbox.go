package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/keyring"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
	"github.com/turnstile-go/turnstile/wire"
)

// errDispatch is wrapped by errors of sending what a commit asked for.
var errDispatch = errors.New("host: not everything was dispatched")

// outbox gathers what has to be sent because of commits, in their order. It is a
// function of the commits, the time and the composer: it reads nothing and sends
// nothing (sender).
type outbox struct {
	composer
	now time.Time

	parcels []parcel
	// at is where what is being added stands; row where the unbroken row of
	// commits begins that it belongs to, and next where that row would go on.
	at, row position
	next    place

	actions []Action
	// refused are the dead letters among the parcels, for the log.
	refused []refusal
	err     error
}

// composer is what work items are made with.
type composer struct {
	edge edge.Edge
	keys *keyring.Ring
	// Timers up to border, and those due in less than least, go through the delay
	// queue; all do where there is no timer service.
	border, least time.Duration
	service       bool
	propagator    Propagator
}

func (o *Orchestrator) composer() composer {
	return composer{o.edge, o.Keys, o.Settings.TimerBorder, o.Settings.TimerLeast, o.Timer != nil, o.Propagator}
}

// parcel is one thing to send, schedule or stop.
type parcel struct {
	route route
	// at is where it stands in the histories, row where the unbroken row of
	// commits that it belongs to begins in this outbox; zero for what stands
	// in no commit.
	at, row position

	msg      queue.Outgoing // to a queue
	schedule timer.Schedule // its name alone for a removal
	stop     stop
	// done: it was sent, in this dispatch or in one before.
	done bool
}

type stop struct {
	key    store.ActivityKey
	reason string
}

// route is where a parcel goes.
type route uint8

// The routes, in the order in which a step of a dispatch takes them. What the
// timer service refuses as past goes to the delay queue in the same step.
// Activities are last: of all that a dispatch sends they alone have an effect
// each time that they are sent, and so none of them is in while something ahead
// of it is not.
const (
	toStop route = iota
	toRemoval
	toSchedule
	toDelay
	toOrchestrator
	toDead // in place of what no message can hold
	toActivity
	routes
)

func (o *Orchestrator) newOutbox() *outbox {
	return &outbox{composer: o.composer(), now: o.Clock.Now()}
}

func (out *outbox) put(p parcel) {
	p.at, p.row = out.at, out.row
	out.parcels = append(out.parcels, p)
}

func (out *outbox) queue(to route, m queue.Outgoing) { out.put(parcel{route: to, msg: m}) }

// send adds an item for the orchestrator queue.
func (out *outbox) send(item *wire.Item) error {
	item.Stamp(out.now)
	body, err := out.edge.Encode(item)
	if err == nil {
		out.queue(toOrchestrator, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)})
	}
	return err
}

// later adds an item for the delay queue.
func (out *outbox) later(item *wire.Item, due time.Time) error {
	item.Stamp(out.now)
	body, err := out.edge.Encode(item)
	if err == nil {
		out.queue(toDelay, queue.Outgoing{Body: body, Delay: edge.QueueDelay(due.Sub(out.now))})
	}
	return err
}

func (out *outbox) failed(err error) { out.err = errors.Join(out.err, err) }

// flush sends everything of an outbox that is not done. An error says that some of
// it may not have been sent; the messages of the turn then come back, and what is
// not done is sent again.
func (o *Orchestrator) flush(ctx context.Context, out *outbox) error {
	began := o.Clock.Now()
	for _, r := range out.refused {
		o.Logger.ErrorContext(ctx, r.what, "instance", r.Instance, "execution_id", r.ExecutionID, "event_id", r.EventID, "error", r.err)
		o.Observer.Count(CountDeadLettered, string(r.reason), 1)
	}
	out.refused = nil
	err := out.err
	if err == nil {
		err = o.sender().send(ctx, out.parcels)
	}
	o.Observer.Timing(TimeDispatch, o.Clock.Now().Sub(began))
	if err != nil {
		return fmt.Errorf("%w: %w", errDispatch, err)
	}
	return nil
}

// sendRound sends an item round through the delay queue.
func (o *Orchestrator) sendRound(ctx context.Context, item *wire.Item, due time.Time, attributes ...map[string]string) error {
	round := *item
	round.Hops++
	body, err := o.edge.Again(&round)
	if err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	out := queue.Outgoing{Body: body, Delay: edge.QueueDelay(due.Sub(o.Clock.Now()))}
	for _, a := range attributes {
		out.Attributes = a
	}
	if err := o.Queues.Delay.Send(ctx, out); err != nil {
		return fmt.Errorf("host: %s for instance %q not sent round: %w", item.Kind, item.Target(), err)
	}
	return nil
}
