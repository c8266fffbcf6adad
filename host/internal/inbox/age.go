package inbox

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host/internal/delivery"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// clocksDiffer is more than the clocks of two processes may differ by.
const clocksDiffer = time.Hour

// tooFar says what is wrong with an item that is due later than any of its kind
// can be; empty if nothing is. It would go round the delay queue every quarter
// of an hour until then, before anybody looks at its instance or its token.
//
// EventBridge Scheduler delivers a firing when it is due, and not before. What
// comes through the delay queue may come early, by no more than a queue can
// wait.
func (d *Door) tooFar(i *wire.Item, due, now time.Time) string {
	farthest := delivery.MaxWait
	switch {
	case i.Kind == wire.TimerFired && d.Scheduled:
		farthest = queue.MaxDelay + clocksDiffer
	case i.Kind == wire.Wake:
		farthest = d.Settings.Turn.WakeMax + 24*time.Hour
	case i.Kind == wire.PurgeInstance:
		farthest = d.Settings.Purge.Grace + 24*time.Hour
	}
	if !due.After(now.Add(farthest)) {
		return ""
	}
	return fmt.Sprintf("it is due at %s, and none that Turnstile sends is due later than %s after it comes; times are milliseconds since 1970",
		due.UTC().Format(time.RFC3339), farthest)
}
