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

// Composer has what is needed to make work items.
type Composer struct {
	Edge edge.Edge
	Keys *keyring.Ring
	// Settings of dispatches. All timers go through the delay queue where there is no
	// timer service.
	Settings *host.DispatchSettings
	// Loop says from which depth on what is sent waits; nil: from none on.
	Loop *host.LoopSettings
	// Propagate returns headers that go with all that a commit sends, by instance,
	// execution and first event; nil for none.
	Propagate host.Propagator
}

// Outbox gathers the messages that follow from commits, in the order of the
// commits.
type Outbox struct {
	Composer
	// Now is when it is made.
	Now  time.Time
	with services

	// Chain of the round that goes on.
	Chain Chain

	parcels []parcel
	place   place
	told    told
	err     error
}

// services are those that a stack need not have: a timer service, and a bus that takes
// events about instances.
type services struct{ timer, bus bool }

// place is where what is being added stands, and in which row of commits.
type place struct {
	at  position
	row Row
}

// told is what observers and logs are told of an outbox.
type told struct {
	actions []host.Action
	// refused are the dead letters among the parcels.
	refused []refusal
	// slowed is what waits for its depth.
	slowed Slowed
}

// parcel is one thing to send, schedule or stop.
type parcel struct {
	route route
	// at is its position, row the position at which the Row of its commit begins;
	// both are zero for what belongs to no commit.
	at, row position

	msg      queue.Outgoing     // to a queue
	queue    string             // its name, for an activity; empty for the default
	schedule timer.Schedule     // its name alone for a removal
	moment   host.InstanceEvent // to the bus; msg is sent if that does not take it
	stop     stop
	// instead puts into an empty outbox what is sent in its place if its queue rejects
	// it (queue.RejectedError); nil where there is nothing.
	instead func(out *Outbox, err error)
	// depth of the round that it answers.
	depth int
	// done: it was sent, in this dispatch or in one before.
	done bool
}

type stop struct {
	key    store.ActivityKey
	reason string
}

// route is where a parcel goes.
type route uint8

// The routes, in the order in which a step of a dispatch takes them. Timers that the
// timer service refuses as past go to the delay queue in the same step, and so do
// events that the bus does not accept. Activities are last: they alone have an effect
// each time that they are sent, so no activity is sent while anything else of its
// step is not.
const (
	toStop route = iota
	toRemoval
	toSchedule
	toBus
	toDelay
	toOrchestrator
	toDead // in place of what no message can hold
	toActivity
	routes
)

// GoOn has the commits that are added go on with a row.
func (out *Outbox) GoOn(with Row) { out.place.row = with }

// Row is the row of the commit that was added last.
func (out *Outbox) Row() Row { return out.place.row }

// Slowed is what waits for its depth.
func (out *Outbox) Slowed() Slowed { return out.told.slowed }

// Actions returns what is sent, in words.
func (out *Outbox) Actions() []host.Action { return out.told.actions }

func (out *Outbox) put(p parcel) {
	p.at, p.row, p.depth = out.place.at, out.place.row.begins, out.Chain.Depth
	out.parcels = append(out.parcels, p)
}

func (out *Outbox) queue(to route, m queue.Outgoing) { out.put(parcel{route: to, msg: m}) }

// encode returns the body of an item, which counts as first sent now, even if the host
// sends it again as open work of a commit.
func (out *Outbox) encode(item *wire.Item) (string, error) {
	item.Stamp(out.Now)
	return out.Edge.Encode(item)
}

// Send adds an item for the orchestrator queue. It is one turn deeper than what it
// answers; beyond a depth it waits in the delay queue first, but for what ends a child.
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
		out.told.slowed.add(pause)
		out.queue(toDelay, queue.Outgoing{Body: body, Delay: edge.QueueDelay(pause)})
		return nil
	}
	out.queue(toOrchestrator, queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)})
	return nil
}

// ifRejected says what is sent in place of the parcel that was added last.
func (out *Outbox) ifRejected(instead func(out *Outbox, err error)) {
	out.parcels[len(out.parcels)-1].instead = instead
}

func (out *Outbox) failed(err error) { out.err = errors.Join(out.err, err) }

func (out *Outbox) note(kind string, eventID int64, name string) {
	out.told.actions = append(out.told.actions, host.Action{Kind: kind, EventID: eventID, Name: name})
}

// unsent is where the event of something stands that could not be sent.
type unsent struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
}

// refusal is why something was not sent: what it was, and the word of its dead
// letter.
type refusal struct {
	unsent
	what   string
	reason wire.Reason
	err    error
}

// maxReason is the longest text of a refusal, in bytes.
const maxReason = 4 << 10

// sendOrRefuse sends an item that nobody waits for: a detached start, or the cancel of
// a child. If no message can hold it, it becomes a dead letter. The body of that is
// not a work item, so that nobody starts anything with half of its input by sending it
// again; it names the event in whose history all of it is. Repeated with its dispatch,
// it may be there twice.
func (out *Outbox) sendOrRefuse(c *Commit, eventID int64, item *wire.Item, kind, what string) {
	refuse := func(out *Outbox, err error) { out.refuse(c, eventID, what, err) }
	switch err := out.Send(item); {
	case err == nil:
		out.ifRejected(refuse)
		out.note(kind, eventID, item.Instance)
	case edge.NotSealed(err):
		out.failed(err)
	default:
		refuse(out, err)
	}
}

// refuse leaves the dead letter of what no message can hold.
func (out *Outbox) refuse(c *Commit, eventID int64, what string, err error) {
	reason := wire.ReasonMalformed
	if edge.TooLarge(err) {
		reason = wire.ReasonTooLarge
	}
	text := fmt.Sprintf("%s: event %d of instance %q execution %d can't be sent: %v", what, eventID, c.Instance, c.ExecutionID, err)
	place := unsent{c.Instance, c.ExecutionID, eventID}
	body, _ := json.Marshal(map[string]any{"unsent": place})
	m := queue.Outgoing{Body: string(body), Attributes: map[string]string{}}
	delivery.FitReason(&m, reason, edge.Cut(text, maxReason))
	out.queue(toDead, m)
	out.told.refused = append(out.told.refused, refusal{place, what, reason, err})
	out.note("dead letter", eventID, "")
}
