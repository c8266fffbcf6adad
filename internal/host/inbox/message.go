package inbox

import (
	"context"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Message is a delivery while the orchestrator handles it.
type Message struct {
	platform.Delivery
	Item  wire.Item
	State State
	// Proven is set if the message has the token of the event that it names, made with a key of the
	// stack.
	Proven bool
	// Place is the position of the message among those of its instance in the batch.
	Place int
}

// State is how far the handling of a message has progressed.
type State uint8

const (
	// Unsettled means that nothing has been decided.
	Unsettled State = iota
	// Waiting means that the message is an event about an instance, to be published after the turns
	// are made.
	Waiting
	// Settled means that everything that the message requires is done, so it can be acknowledged.
	Settled
	// Failed means that the message is reported as failed.
	Failed
)

// Left returns the messages whose outcome is not decided. It allocates nothing if no outcome is
// decided, as in most turns.
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

// Returning reports whether the message may have been handled before. Its turn may then be
// committed but not dispatched.
func (m *Message) Returning() bool { return m.ReceiveCount > 1 || m.Redriven() }

// Returning returns the messages that may have been handled before.
func Returning(messages []*Message) []*Message {
	var back []*Message
	for _, m := range messages {
		if m.Returning() {
			back = append(back, m)
		}
	}
	return back
}

// Redriven reports whether the message was redriven from a dead-letter queue, or was requeued after
// it had been received. Other messages may have overtaken it.
func (m *Message) Redriven() bool { return delivery.Redriven(&m.Message) }

// Completion reports whether the item completes an operation: it names its execution, and nothing
// else is needed to find it.
func (m *Message) Completion() bool {
	switch m.Item.Kind {
	case wire.ActivityCompleted, wire.ActivityFailed, wire.TimerFired, wire.FireTimer, wire.SubOrchCompleted, wire.SubOrchFailed:
		return true
	}
	return false
}

// ConcernsPending reports whether the item concerns a pending activity and records no event.
func (m *Message) ConcernsPending() bool {
	return m.Item.Kind == wire.ActivityPending || m.Item.Kind == wire.ActivityHeartbeat || m.Item.Kind == wire.RetryActivity
}

// Records reports whether the item becomes a history event.
func (m *Message) Records() bool {
	switch m.Item.Kind {
	case wire.StartOrchestration, wire.ExternalRaised, wire.CancelInstance, wire.SuspendInstance, wire.ResumeInstance:
		return true
	}
	return m.Completion()
}

// Suspends reports whether the item suspends or resumes the instance.
func (m *Message) Suspends() bool {
	return m.Item.Kind == wire.SuspendInstance || m.Item.Kind == wire.ResumeInstance
}

// Purges reports whether the item is a purge request by a client, an operator or retention.
func (m *Message) Purges() bool {
	return m.Item.Kind == wire.PurgeInstance && m.Item.UpToExecution == 0
}

// Deletes reports whether the item asks for histories to be deleted: those of a purged instance, or
// those of executions that are no longer needed.
func (m *Message) Deletes() bool {
	return m.Item.Kind == wire.PurgeInstance && m.Item.UpToExecution > 0
}

// EndsChild reports whether the item is a parent's request to end its child.
func (m *Message) EndsChild() bool {
	return m.Item.Parent != nil && (m.Item.Kind == wire.CancelInstance || m.Item.Kind == wire.TerminateInstance)
}

// Unheard reports whether a worker sent this message because an at-most-once attempt was already
// started and the worker knows no result of it.
func (m *Message) Unheard() bool {
	return m.Item.Kind == wire.ActivityFailed && m.Item.Details != nil && m.Item.Details.Kind == history.FailureInterrupted
}

// logContext returns the context for log lines about the message.
func (m *Message) logContext(ctx context.Context) context.Context {
	return delivery.LogContext(ctx, &m.Item)
}
