package orchestrator

import (
	"context"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/wire"
)

// message is a delivery on its way through Handle.
type message struct {
	host.Delivery
	item  wire.Item
	state messageState
	// handled: this invocation lost a commit to another process, which may have the
	// message too. So the history may have its fact though this is its first delivery.
	handled bool
	// proven: it brought back the token of the event that it names, under a key
	// of the stack.
	proven bool
}

type messageState uint8

const (
	// unsettled: nothing has been decided.
	unsettled messageState = iota
	// settled: all that follows from it has been done; to be acknowledged.
	settled
	// failed: to be reported as failed.
	failed
)

// returning reports whether the message may have been handled before, so that its
// turn may be committed and not dispatched.
func (m *message) returning() bool { return m.ReceiveCount > 1 || m.handled || m.redriven() }

// returning returns the messages that come back.
func returning(messages []*message) []*message {
	var back []*message
	for _, m := range messages {
		if m.returning() {
			back = append(back, m)
		}
	}
	return back
}

func (m *message) redriven() bool { return delivery.Redriven(&m.Message) }

// completion reports whether the item names the execution that it is for and
// nothing but that is needed to find it.
func (m *message) completion() bool {
	switch m.item.Kind {
	case wire.ActivityCompleted, wire.ActivityFailed, wire.TimerFired, wire.SubOrchCompleted, wire.SubOrchFailed:
		return true
	}
	return false
}

// records reports whether the item becomes an event of the history.
func (m *message) records() bool {
	switch m.item.Kind {
	case wire.StartOrchestration, wire.ExternalRaised, wire.CancelInstance:
		return true
	}
	return m.completion()
}

// purges reports whether it is a purge that somebody asked for.
func (m *message) purges() bool {
	return m.item.Kind == wire.PurgeInstance && m.item.UpToExecution == 0
}

// endsChild reports whether it is what a parent sends to end its child.
func (m *message) endsChild() bool {
	return m.item.Parent != nil && (m.item.Kind == wire.CancelInstance || m.item.Kind == wire.TerminateInstance)
}

// unheard reports whether a worker says with this message that an attempt, which
// runs at most once, was begun before and no result is known to it.
func (m *message) unheard() bool {
	return m.item.Kind == wire.ActivityFailed && m.item.Details != nil && m.item.Details.Kind == history.FailureInterrupted
}

// about returns the context of what is logged of a message.
func (m *message) about(ctx context.Context) context.Context { return delivery.About(ctx, &m.item) }
