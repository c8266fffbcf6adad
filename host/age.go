package host

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// stamp says in an item when it is sent first. What the host decides to send
// again, as open work of a commit is, is sent first then. A firing bears the
// time at which it is due, so that a schedule which is made twice is the same.
func stamp(item *wire.Item, now time.Time) {
	if item.SentMS == 0 {
		item.SentMS = max(now.UnixMilli(), item.FireAtMS)
	}
}

// received gives an item of a sender that does not say when it was sent the time
// of its message, so that it has an age over the hops to come.
func received(m *message, now time.Time) {
	if m.item.SentMS == 0 {
		if m.item.SentMS = m.SentAt.UnixMilli(); m.SentAt.IsZero() {
			m.item.SentMS = now.UnixMilli()
		}
	}
}

// expiry is the text of a dead letter that is too old.
func expiry(i *wire.Item, now time.Time) string {
	return fmt.Sprintf("%s for instance %q is %s old, the limit is %s: it was not applied, for its id may have begun anew since; "+
		"turnstile dead-letter redrive sends it as a new one, if it is still wanted", i.Kind, i.Target(), i.Age(now).Round(time.Minute), wire.MaxAge)
}

// clocksDiffer is more than the clocks of two processes may differ by.
const clocksDiffer = time.Hour

// tooFar says what is wrong with an item that is due later than any of its kind
// can be; empty if nothing is. It would go round the delay queue every quarter
// of an hour until then, before anybody looks at its instance or its token.
//
// EventBridge Scheduler delivers a firing when it is due, and not before. What
// comes through the delay queue may come early, by no more than a queue can
// wait.
func (o *Orchestrator) tooFar(i *wire.Item, due, now time.Time) string {
	farthest := maxWait
	switch {
	case i.Kind == wire.TimerFired && o.Timer != nil:
		farthest = queue.MaxDelay + clocksDiffer
	case i.Kind == wire.Wake:
		farthest = o.Settings.WakeMax + day
	case i.Kind == wire.PurgeInstance:
		farthest = o.Settings.PurgeGrace + day
	}
	if !due.After(now.Add(farthest)) {
		return ""
	}
	return fmt.Sprintf("it is due at %s, and none that Turnstile sends is due later than %s after it comes; times are milliseconds since 1970",
		due.UTC().Format(time.RFC3339), farthest)
}

const (
	day = 24 * time.Hour
	// maxWait is longer than the longest timer, and than any delay of a retry
	// that a test would wait for: 101 years.
	maxWait = 101 * 365 * day
)

// old reports whether a message has spent half of its life on a standard queue.
// SQS deletes it at its end, wherever it is by then: on its way to a dead-letter
// queue a message keeps the time at which it was sent first
// (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/setting-up-dead-letter-queue-retention.html).
func old(m *message, now time.Time) bool {
	return m.Source != SourceOrchestrator && !m.SentAt.IsZero() && now.Sub(m.SentAt) > wire.MaxAge/2 && m.item.Kind != ""
}

// renew sends an attempt anew that would go back to the activity queue and is
// old.
func (w *Worker) renew(ctx context.Context, m *message, back time.Duration) {
	body, err := w.edge.again(&m.item)
	if err == nil {
		err = w.Queues.Activity.Send(ctx, queue.Outgoing{Body: body, Delay: queueDelay(back)})
	}
	if err != nil {
		w.Logger.WarnContext(ctx, "old message not sent anew", "message_id", m.ID, "instance", m.item.Instance, "error", err)
		return
	}
	w.Observer.Count(CountForwarded, "old", 1)
	m.state = settled
}
