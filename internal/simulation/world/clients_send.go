package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// SendAs sends on behalf of clients and services, not as a call of a process. While the queues
// are down, it retries.
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

// RedriveID is the prefix of the ids of redrives that clients send, ForkID that of forks.
// RedrivenFrom precedes, in these ids, the event from which they continue.
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

// SendSurely sends an item as a client that never gives up: the run would not end without the
// item.
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

// inOrder returns the message of an item for the FIFO queue.
func inOrder(item *wire.Item, body string) queue.Outgoing {
	return queue.Outgoing{Body: body, Group: wire.Group(item.Target()), DedupID: wire.DedupID(item)}
}

// PurgeByForce sends what a client that purges with force sends: a terminate, and then the
// purge.
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

// call makes one call of a client; item is its last message. It may fail
// after any of its messages, or after all of them.
func (w *World) call(item *wire.Item, out ...queue.Outgoing) {
	if w.hit(fault.ClientFails) {
		// The call fails for its client, whether or not it took effect. A client that repeats
		// the call knows that its request arrived; a client that ends, or whose caller gives
		// up, does not.
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

// tookOf returns the messages of a failed call that are in the queue: all of them if it took
// effect, otherwise those before the refused one.
func (w *World) tookOf(how choice.Spot, took bool, out []queue.Outgoing) []queue.Outgoing {
	switch {
	case took:
		return out
	case len(out) == 1:
		return nil
	}
	return out[:w.Choices.IntN(w.Choices.At(how, "in part"), len(out))]
}

// mayGiveUp reports whether a client may give up after a failed call: if the call took effect,
// if it only asked for an end, or if an operator resumes the suspended instance. Without its
// start or its events an instance would never end.
func (w *World) mayGiveUp(item *wire.Item, took bool) bool {
	switch item.Kind {
	case wire.CancelInstance, wire.TerminateInstance, wire.SuspendInstance, wire.ResumeInstance, wire.FireTimer, wire.RetryActivity:
		return true
	case wire.PurgeInstance:
		// The deletion of an earlier purge is lost, and an operator handles it.
		return took || w.Ledger.Hidden[item.Instance] != w.Ledger.Last[item.Instance]
	}
	return took
}
