// Package delivery is what a handler does with a message whatever it asks for:
// it says how old that is, moves it to the dead letters, or lets it come again.
package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
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

// NotHeld is the word for a message that was handed back because its visibility may end
// before its invocation does.
const NotHeld = "visibility"

// MaxWait is longer than the longest timer, and than any delay of a retry that a
// test would wait for: 101 years.
const MaxWait = 101 * 365 * 24 * time.Hour

// Retention is for how long the activities table keeps an item after its last change:
// requests to stop, heartbeats, claims. It is the longest that a message lives.
const Retention = wire.MaxAge

// Received sets when an item was sent, from its message, if its sender did not say
// so: the age of an item counts over all its hops, the age of a message from the
// last.
func Received(m *queue.Message, item *wire.Item, now time.Time) {
	if item.SentMS == 0 {
		if item.SentMS = m.SentAt.UnixMilli(); m.SentAt.IsZero() {
			item.SentMS = now.UnixMilli()
		}
	}
}

// Expiry is the text of a dead letter that is too old.
func Expiry(i *wire.Item, now time.Time) string {
	return fmt.Sprintf("%s for instance %q is %s old, the limit is %s: it was not applied, for its id may have begun anew since; "+
		"turnstile dead-letter redrive sends it as a new one, if it is still wanted", i.Kind, i.Target(), i.Age(now).Round(time.Minute), wire.MaxAge)
}
