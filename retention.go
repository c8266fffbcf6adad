package turnstile

import (
	"fmt"
	"time"
)

// Bounds of Retention.
const (
	// minRetention is what a purge needs: until then a process that stalled may still
	// write to the history.
	minRetention = time.Hour
	// maxRetention is long enough for "for ever".
	maxRetention = 100 * 365 * 24 * time.Hour
)

// Retention is how long an instance of the orchestration is kept after its end. Then it
// is purged as by client.Client.Purge, within an hour or so. It belongs to an
// implementation, and is not part of the code: it may be changed at any time, and holds
// for instances that have ended already. Of several versions of a name the longest
// counts.
//
// Without it, or with 0, the setting of the stack holds (host.PurgeSettings.Retention),
// by which instances are kept for ever unless it says otherwise. Less than an
// hour, which a purge needs, or more than a hundred years is an [*InvalidArgumentError]
// in [App.Err].
func Retention(d time.Duration) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) {
		var problem string
		switch {
		case d == 0 || d >= minRetention && d <= maxRetention:
			o.retention = d
			return
		case d < minRetention:
			problem = fmt.Sprintf("is %s, it must be at least %s, which a purge needs; leave it out, or give 0, for what the stack says", d, minRetention)
		default:
			problem = fmt.Sprintf("is %s, it can be at most %s", d, maxRetention)
		}
		o.problems = append(o.problems, &InvalidArgumentError{Call: "Retention", Argument: "duration", Problem: problem})
	})
}
