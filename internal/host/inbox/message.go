package inbox

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Message is a delivery on its way through Handle.
type Message struct {
	platform.Delivery
	Item  wire.Item
	State State
	// Proven: it brought back the token of the event that it names, under a key
	// of the stack.
	Proven bool
	// Place of the message among those of its instance in the batch.
	Place int
}

// State says how far a message has come.
type State uint8

const (
	// Unsettled: nothing has been decided.
	Unsettled State = iota
	// Settled: all that follows from it has been done; to be acknowledged.
	Settled
	// Failed: to be reported as failed.
	Failed
)

// Left returns the messages about which nothing has been decided. Where that are all, as in
// most turns, it allocates nothing.
func Left(messages []*Message) []*Message {
	if !slices.ContainsFunc(messages, func(m *Message) bool { return m.State != Unsettled }) {
		return slices.Clip(messages)
	}
	var left []*Message
	for _, m := range messages {
		if m.State == Unsettled {
			left = append(left, m)
		}
	}
	return left
}

// Returning reports whether the message may have been handled before, so that its
// turn may be committed and not dispatched.
func (m *Message) Returning() bool { return m.ReceiveCount > 1 || m.Redriven() }

// Returning returns the messages that come back.
func Returning(messages []*Message) []*Message {
	var back []*Message
	for _, m := range messages {
		if m.Returning() {
			back = append(back, m)
		}
	}
	return back
}

// Redriven reports whether the message came back from a dead-letter queue, or went
// round after it had been received: others may have overtaken it.
func (m *Message) Redriven() bool { return delivery.Redriven(&m.Message) }

// Completion reports whether the item names the execution that it is for and
// nothing but that is needed to find it.
func (m *Message) Completion() bool {
	switch m.Item.Kind {
	case wire.ActivityCompleted, wire.ActivityFailed, wire.TimerFired, wire.FireTimer, wire.SubOrchCompleted, wire.SubOrchFailed:
		return true
	}
	return false
}

// AboutPending reports whether the item is about a pending activity, and records nothing.
func (m *Message) AboutPending() bool {
	return m.Item.Kind == wire.ActivityPending || m.Item.Kind == wire.ActivityHeartbeat || m.Item.Kind == wire.RetryActivity
}

// Records reports whether the item becomes an event of the history.
func (m *Message) Records() bool {
	switch m.Item.Kind {
	case wire.StartOrchestration, wire.ExternalRaised, wire.CancelInstance, wire.SuspendInstance, wire.ResumeInstance:
		return true
	}
	return m.Completion()
}

// Suspends reports whether it suspends the instance or resumes it.
func (m *Message) Suspends() bool {
	return m.Item.Kind == wire.SuspendInstance || m.Item.Kind == wire.ResumeInstance
}

// Purges reports whether it is a purge that somebody asked for.
func (m *Message) Purges() bool {
	return m.Item.Kind == wire.PurgeInstance && m.Item.UpToExecution == 0
}

// Deletes reports whether it asks for histories to be deleted: of what was purged, or of
// executions that nothing needs any more.
func (m *Message) Deletes() bool {
	return m.Item.Kind == wire.PurgeInstance && m.Item.UpToExecution > 0
}

// EndsChild reports whether it is what a parent sends to end its child.
func (m *Message) EndsChild() bool {
	return m.Item.Parent != nil && (m.Item.Kind == wire.CancelInstance || m.Item.Kind == wire.TerminateInstance)
}

// Unheard reports whether a worker says with this message that an attempt, which
// runs at most once, was begun before and no result is known to it.
func (m *Message) Unheard() bool {
	return m.Item.Kind == wire.ActivityFailed && m.Item.Details != nil && m.Item.Details.Kind == history.FailureInterrupted
}

// about returns the context of what is logged of a message.
func (m *Message) about(ctx context.Context) context.Context { return delivery.About(ctx, &m.Item) }
