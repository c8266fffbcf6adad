// Package delivery has what handlers do with messages of any kind: determine their age, move them
// to a dead-letter queue, or return them to their queue.
package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/logattr"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// LogContext returns a context whose log lines name the instance, execution and event of an item.
func LogContext(ctx context.Context, i *wire.Item) context.Context {
	event := i.SchedulingEventID
	if event == 0 && i.Kind != wire.Wake {
		event = i.SourceEventID
	}
	return logattr.Subject{Instance: i.Target(), ExecutionID: i.TargetExecution(), EventID: event}.In(ctx)
}

// Quick is the shortest duration of a queued activity that counts as a pause between two turns of a
// loop (dispatch.Chain).
const Quick = time.Second

// HeldUp is how long a message is requeued for another build before it counts as held up
// (host.CountHeldUp). It is longer than a deployment takes. ReturnedOften is the receive count from
// which a message that keeps returning to its queue counts as held up. Its delays double from a
// second to 15 minutes (host.Settings.Messages.BackoffFirst, BackoffMax), so the twelfth receive is
// after about half an hour.
const (
	HeldUp        = time.Hour
	ReturnedOften = 12
)

// Redriven reports whether a message was redriven from a dead-letter queue, or is treated as if
// it had been.
func Redriven(m *queue.Message) bool {
	return m.Attributes[wire.RedriveAttribute] != "" || m.Attributes[wire.ReasonAttribute] != ""
}

// NotHeld is the reason counted for a message that is returned because its visibility timeout may
// end before its invocation does.
const NotHeld = "visibility"

// MaxWait is longer than the longest timer and than any retry delay that a test would wait for: 101
// years.
const MaxWait = 101 * 365 * 24 * time.Hour

// Retention is how long the activities table keeps an item (a stop request, a heartbeat, a claim)
// after its last change. That is the longest time that a message can exist.
const Retention = wire.MaxAge

// Received sets the send time of an item from its message if the sender has not set it. The age of
// an item counts over all of its hops; the age of a message counts only from the last hop.
func Received(m *queue.Message, item *wire.Item, now time.Time) {
	if item.SentMS == 0 {
		if item.SentMS = m.SentAt.UnixMilli(); m.SentAt.IsZero() {
			item.SentMS = now.UnixMilli()
		}
	}
}

// Expiry returns the text of the dead letter for an item that is too old.
func Expiry(i *wire.Item, now time.Time) string {
	return fmt.Sprintf("%s for instance %q is %s old; the limit is %s: it was not applied because its instance may have restarted since; "+
		"turnstile dead-letter redrive sends it as a new message if it is still wanted", i.Kind, i.Target(), i.Age(now).Round(time.Minute), wire.MaxAge)
}
