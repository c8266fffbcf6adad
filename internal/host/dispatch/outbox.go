package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Composer has everything that is needed to make work items.
type Composer struct {
	Edge edge.Edge
	Keys *keyring.Ring
	// Settings of dispatches. Without a timer service all timers go through the delay queue.
	Settings *host.DispatchSettings
	// Loop gives the depth from which messages wait; nil if none wait.
	Loop *host.LoopSettings
	// Propagate returns the headers for all messages of a commit, by instance, execution and first
	// event; nil for none.
	Propagate host.Propagator
}

// Outbox collects the messages that follow from commits, in the order of the commits.
type Outbox struct {
	Composer
	// Now is when the outbox is made.
	Now  time.Time
	with services

	// Chain of the current round.
	Chain Chain

	messages []outgoing
	place    place
	reported reported
	err      error
}

// services are the optional services that the stack has: a timer service, and a bus for events
// about instances.
type services struct{ timer, bus bool }

// place is the position of the message that is being added, and its row of commits.
type place struct {
	at  position
	row Row
}

// reported is the information about an outbox for observers and logs.
type reported struct {
	actions []host.Action
	// refused are the dead letters among the outgoing messages.
	refused []refusal
	// slowed has the messages that wait because of their depth.
	slowed Slowed
}

// outgoing is one outgoing message, schedule, or stop request.
type outgoing struct {
	route route
	// at is the position of the message, and row the position at which the Row of its commit
	// begins; both are zero for a message that belongs to no commit.
	at, row position

	msg      queue.Outgoing     // for a queue
	queue    string             // the name of the queue, for an activity; empty for the default
	schedule timer.Schedule     // only the name is set for a removal
	moment   host.InstanceEvent // for the bus; msg is sent if the bus does not accept it
	answer   store.Answer
	stop     stop
	// instead adds, to an empty outbox, the message that replaces this one if the queue rejects it
	// (queue.RejectedError); nil if no message replaces it.
	instead func(out *Outbox, err error)
	// depth is the depth of the round that caused the message.
	depth int
	// done is set if the message was sent, in this dispatch or in an earlier one.
	done bool
}

type stop struct {
	key    store.ActivityKey
	reason string
}

// route is where an outgoing message goes.
type route uint8

// The routes, in the order in which a step of a dispatch takes them. Timers that the timer service
// refuses as past go to the delay queue in the same step, and so do events that the bus does not
// accept. Activities are last, because only they have an effect each time that they are sent. So no
// activity is sent before all other messages of its step.
const (
	toAnswer route = iota
	toStop
	toRemoval
	toSchedule
	toBus
	toDelay
	toOrchestrator
	toDead // instead of a message that cannot be sent
	toActivity
	routes
)

// Continue makes the next commits continue a row.
func (out *Outbox) Continue(with Row) { out.place.row = with }

// Row returns the row of the commit that was added last.
func (out *Outbox) Row() Row { return out.place.row }

// Slowed returns the messages that wait because of their depth.
func (out *Outbox) Slowed() Slowed { return out.reported.slowed }

// Actions returns a description of the messages for observers.
func (out *Outbox) Actions() []host.Action { return out.reported.actions }

func (out *Outbox) put(p outgoing) {
	p.at, p.row, p.depth = out.place.at, out.place.row.starts, out.Chain.Depth
	out.messages = append(out.messages, p)
}

func (out *Outbox) queue(to route, m queue.Outgoing) { out.put(outgoing{route: to, msg: m}) }

// encode returns the body of an item. The item counts as first sent now, even if the host sends it
// again as an open operation of a commit.
func (out *Outbox) encode(item *wire.Item) (string, error) {
	item.Stamp(out.Now)
	return out.Edge.Encode(item)
}

// Send adds an item for the orchestrator queue. The item is one deeper than the round that caused
// it. From a certain depth on, it first waits in the delay queue, unless it ends a child.
func (out *Outbox) Send(item *wire.Item) error {
	ends := item.Parent != nil && item.Kind != wire.StartOrchestration
	if !ends {
		item.Depth = out.Chain.Depth + 1
	}
	item.Reason = out.Edge.Reason(item.Reason)
	body, err := out.encode(item)
	if err != nil {
		return err
	}
	if pause := Pause(out.Loop, item.Depth); pause > 0 {
		out.reported.slowed.add(pause)
		out.queue(toDelay, queue.Outgoing{Body: body, Delay: edge.QueueDelay(pause)})
		return nil
	}
	out.queue(toOrchestrator, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)})
	return nil
}

// ifRejected sets what replaces the outgoing message that was added last if its queue rejects it.
func (out *Outbox) ifRejected(instead func(out *Outbox, err error)) {
	out.messages[len(out.messages)-1].instead = instead
}

func (out *Outbox) failed(err error) { out.err = errors.Join(out.err, err) }

func (out *Outbox) note(kind string, eventID int64, name string) {
	out.reported.actions = append(out.reported.actions, host.Action{Kind: kind, EventID: eventID, Name: name})
}

// unsent names the event whose message could not be sent.
type unsent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
}

// refusal is a message that was not sent, with the error and the reason for its dead letter.
type refusal struct {
	unsent
	what   string
	reason wire.Reason
	err    error
}

// maxReason is the longest text of a refusal, in bytes.
const maxReason = 4 << 10

// sendOrRefuse sends an item whose result no instance waits for: a detached start, a message to
// another instance, or the cancel of a child. If it does not fit into a message, a dead letter is
// sent instead. The body of the dead letter is not a work item, so that a redrive does not start an
// orchestration with part of its input. The body names the event that has the whole input. If the
// dispatch is repeated, there may be two dead letters.
func (out *Outbox) sendOrRefuse(c *Commit, eventID int64, item *wire.Item, kind, what string) {
	refuse := func(out *Outbox, err error) { out.refuse(c, eventID, what, err) }
	switch err := out.Send(item); {
	case err == nil:
		out.ifRejected(refuse)
		out.note(kind, eventID, item.Instance)
	case edge.NotEncoded(err):
		out.failed(err)
	default:
		refuse(out, err)
	}
}

// refuse adds the dead letter for an item that does not fit into a message.
func (out *Outbox) refuse(c *Commit, eventID int64, what string, err error) {
	reason := wire.ReasonMalformed
	if edge.TooLarge(err) {
		reason = wire.ReasonTooLarge
	}
	text := fmt.Sprintf("%s: event %d of instance %q execution %d cannot be sent: %v", what, eventID, c.Instance, c.ExecutionID, err)
	place := unsent{c.Instance, c.ExecutionID, eventID}
	body, _ := json.Marshal(map[string]any{"unsent": place})
	m := queue.Outgoing{Body: string(body), Attributes: map[string]string{}}
	delivery.FitReason(&m, reason, edge.Cut(text, maxReason))
	out.queue(toDead, m)
	out.reported.refused = append(out.reported.refused, refusal{place, what, reason, err})
	out.note("dead letter", eventID, "")
}
