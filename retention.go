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

// Bounds of KeepExecutions. A wake sends again what the end of the execution before the
// current one asked for, so that one is always kept.
const (
	minExecutions = 2
	maxExecutions = 1_000_000
)

// KeepExecutions has an instance that continues as new keep its newest n executions, the
// current one among them. The host prunes earlier ones: it deletes their histories, after
// it has given them to the archive if there is one. It does so at every tenth execution,
// and spares an execution that
//
//   - ended less than fifteen days ago, because a message that is sent again from a
//     dead-letter queue until then may need it, or
//   - has started a child that still runs,
//
// and all executions after a spared one. Like [Retention] it belongs to an implementation, is
// not part of the code, and may be changed at any time. Of several versions of a name the
// largest n counts.
//
// Without it, or with 0, the setting of the stack holds (host.PurgeSettings.Executions),
// by which all executions are kept unless it says otherwise. 1, less, or more than a
// million is an [*InvalidArgumentError] in [App.Err].
func KeepExecutions(n int) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) {
		if n == 0 || n >= minExecutions && n <= maxExecutions {
			o.executions = n
			return
		}
		o.problems = append(o.problems, &InvalidArgumentError{Call: "KeepExecutions", Argument: "n", Problem: fmt.Sprintf(
			"is %d, it must be from %d, the current execution and the one before it, to %d; leave it out, or give 0, for what the stack says", n, minExecutions, maxExecutions)})
	})
}

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
