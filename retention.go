package turnstile

import (
	"fmt"
	"time"
)

// Bounds of Retention.
const (
	// minRetention is the shortest retention. Until then a stalled process may still write to the
	// history, so a purge must wait.
	minRetention = time.Hour
	// maxRetention is the longest retention.
	maxRetention = 100 * 365 * 24 * time.Hour
)

// Bounds of KeepExecutions. The execution before the current one is always kept, because a wake
// sends its last messages again.
const (
	minExecutions = 2
	maxExecutions = 1_000_000
)

// KeepExecutions keeps the newest n executions of an instance that continues as new, including the
// current one. The host prunes earlier executions: it deletes their histories, after passing them
// to the archive if there is one. It does so at every tenth execution. It does not prune an
// execution that
//
//   - ended less than 15 days ago, because a message that is redriven from a dead-letter queue
//     until then may need it, or
//   - has started a child that is still running,
//
// or any execution after such an execution. Like [Retention], KeepExecutions is an option of an
// implementation, is not part of the code, and may be changed at any time. If versions of an
// orchestration set different values, the largest n applies.
//
// Without KeepExecutions, or with 0, the setting of the stack applies
// (host.PurgeSettings.Executions), which keeps all executions by default. An n of 1, below 0, or
// above a million is an [*InvalidArgumentError] in [App.Err].
func KeepExecutions(n int) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) {
		if n == 0 || n >= minExecutions && n <= maxExecutions {
			o.executions = n
			return
		}
		o.problems = append(o.problems, &InvalidArgumentError{Call: "KeepExecutions", Argument: "n", Problem: fmt.Sprintf(
			"is %d; it must be from %d, the current execution and the one before it, to %d; leave it out, or give 0, for the stack's setting", n, minExecutions, maxExecutions)})
	})
}

// Retention is the time for which an instance of the orchestration is kept after its end. Then the
// instance is purged as by client.Client.Purge, within about an hour. Retention is an option of an
// implementation, and is not part of the code: it may be changed at any time, and the change
// applies to instances that have already ended. If versions of an orchestration set different
// values, the longest applies.
//
// Without Retention, or with 0, the setting of the stack applies (host.PurgeSettings.Retention),
// which keeps instances for ever by default. Less than an hour, which a purge needs, or more than a
// hundred years is an [*InvalidArgumentError] in [App.Err].
func Retention(d time.Duration) OrchestrationOption {
	return orchestrationOption(func(o *orchestrationOptions) {
		var problem string
		switch {
		case d == 0 || d >= minRetention && d <= maxRetention:
			o.retention = d
			return
		case d < minRetention:
			problem = fmt.Sprintf("is %s; it must be at least %s, which a purge needs; leave it out, or give 0, for the stack's setting", d, minRetention)
		default:
			problem = fmt.Sprintf("is %s; the maximum is %s", d, maxRetention)
		}
		o.problems = append(o.problems, &InvalidArgumentError{Call: "Retention", Argument: "duration", Problem: problem})
	})
}
