package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// SendAs sends without a call of a process: what clients and services send. While the
// queues are down, the call is made again and again.
func (w *World) SendAs(who string, to *Queue, msgs ...queue.Outgoing) {
	if wait := w.untilQueuesAreBack(); wait > 0 {
		w.Clock.AfterFunc(wait, func() { w.SendAs(who, to, msgs...) })
		return
	}
	for _, m := range msgs {
		if w.Tracing {
			w.Log("%s sends to %s %s%s", who, to.Name, BodyText(m.Body), delayText(m.Delay))
		}
		w.IsOthers(m.Body)
	}
	if err := to.Queue.Send(context.Background(), msgs...); err != nil {
		w.Violate("world", "a message was refused: %v", err)
	}
}

// RedriveID begins the ids of redrives that clients send, ForkID those of forks; RedrivenFrom
// precedes, in them, the event from which they go on.
const (
	RedriveID    = "redrive-"
	ForkID       = "fork-"
	RedrivenFrom = "-from-"
)

// SendItem sends an item as a client does.
func (w *World) SendItem(item wire.Item) {
	body, ok := w.said(&item)
	if !ok {
		return
	}
	if w.Choices.OneIn(w.Choices.At(w.Choices.At(choice.OfClient, "way"), item.Target()), 5) && item.Kind != wire.StartOrchestration {
		w.SendAs("a client", w.Delay, queue.Outgoing{Body: body})
		return
	}
	w.call(&item, inOrder(&item, body))
}

// SendSurely sends an item as a client does that never gives up: without it the run comes to
// no end.
func (w *World) SendSurely(item wire.Item) {
	if body, ok := w.said(&item); ok {
		w.SendAs("a client", w.FIFO, inOrder(&item, body))
	}
}

// said returns the body of an item that a client sends.
func (w *World) said(item *wire.Item) (string, bool) {
	item.V = wire.Version
	w.says(item)
	body, err := w.body(item)
	if err != nil {
		w.Violate("world", "an item can't be encoded: %v", err)
		return "", false
	}
	return string(body), true
}

// inOrder is the message of an item on the FIFO queue.
func inOrder(item *wire.Item, body string) queue.Outgoing {
	return queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)}
}

// PurgeByForce sends what a client with force sends: a terminate, and then the purge.
func (w *World) PurgeByForce(instance, id string) {
	purge := wire.Item{V: wire.Version, Kind: wire.PurgeInstance, Instance: instance, ID: id, Force: true}
	w.says(&purge)
	end := purge
	end.Kind, end.Force, end.Reason = wire.TerminateInstance, false, "purged"
	var out []queue.Outgoing
	for _, item := range []wire.Item{end, purge} {
		body, err := w.body(&item)
		if err != nil {
			w.Violate("world", "an item can't be encoded: %v", err)
			return
		}
		out = append(out, queue.Outgoing{Body: string(body), Group: wire.Group(instance), DedupID: wire.DedupID(&item)})
	}
	w.call(&purge, out...)
}

// call sends what a client sends in one call, of which item is the last. It may fail, after any
// of its messages, or after all of them.
func (w *World) call(item *wire.Item, out ...queue.Outgoing) {
	if w.hit(fault.ClientFails) {
		// The call fails for its client, whether or not it took effect. The client is only
		// sure of its request if it makes the call again; a client that ends, or whose
		// caller gives up, does not.
		how := w.How(fault.ClientFails)
		took := w.Choices.Even(how)
		if in := w.tookOf(how, took, out); len(in) > 0 {
			w.SendAs("a client whose call fails", w.FIFO, in...)
		}
		if w.Choices.OneIn(w.Choices.At(how, "gives up"), 4) && w.mayGiveUp(item, took) {
			w.Log("a client gives up")
			w.Reached("a client gives up")
			return
		}
		d := time.Duration(1+w.Choices.IntN(how, 1000)) * time.Millisecond * [...]time.Duration{1, 10, 600}[w.Choices.IntN(how, 3)]
		w.Clock.AfterFunc(d, func() { w.SendAs("a client, again", w.FIFO, out...) })
		return
	}
	w.SendAs("a client", w.FIFO, out...)
}

// tookOf returns which messages of a failed call are in the queue: all of them if it took
// effect, otherwise those before the one that was refused.
func (w *World) tookOf(how choice.Spot, took bool, out []queue.Outgoing) []queue.Outgoing {
	switch {
	case took:
		return out
	case len(out) == 1:
		return nil
	}
	return out[:w.Choices.IntN(w.Choices.At(how, "in part"), len(out))]
}

// mayGiveUp reports whether a client may leave it at a call that has failed: where the call
// took effect, where all that was asked for was an end, or where another resumes what is
// suspended. Without its start or its events
// an instance comes to no end that could be looked at.
func (w *World) mayGiveUp(item *wire.Item, took bool) bool {
	switch item.Kind {
	case wire.CancelInstance, wire.TerminateInstance, wire.SuspendInstance, wire.ResumeInstance, wire.FireTimer, wire.RetryActivity:
		return true
	case wire.PurgeInstance:
		// The deletion of what was purged before is lost, and somebody sees to it.
		return took || w.Ledger.Hidden[item.Instance] != w.Ledger.Last[item.Instance]
	}
	return took
}
