package delivery

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// MaxWait is longer than the longest timer, and than any delay of a retry that a
// test would wait for: 101 years.
const MaxWait = 101 * 365 * 24 * time.Hour

// Received sets when an item was sent, from its message, if its sender did not say
// so: the age of an item counts over all its hops, that of a message from the last.
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
