// Package delivery is what a handler does with a message whatever it asks for:
// it says how old that is, moves it to the dead letters, or lets it come again.
package delivery

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// About returns a context whose lines of the log are about an item.
func About(ctx context.Context, i *wire.Item) context.Context {
	event := i.SchedulingEventID
	if event == 0 && i.Kind != wire.Wake {
		event = i.SourceEventID
	}
	return logattr.Subject{Instance: i.Target(), ExecutionID: i.TargetExecution(), EventID: event}.In(ctx)
}

// Redriven reports whether a message was sent again from a dead-letter queue, or
// counts as one that was.
func Redriven(m *queue.Message) bool {
	return m.Attributes[wire.RedriveAttribute] != "" || m.Attributes[wire.ReasonAttribute] != ""
}
