// Package journal is how a database keeps the queues and the timer of one process:
// package embedded runs them in memory and tells a [Queue] or a [Timer] of each
// change. Package sqlite implements both. Only the author of another database for
// [github.com/turnstile-go/turnstile/embedded.Database] needs this package.
package journal

import "errors"

// ErrUnavailable is what an error of Ready wraps if the trouble passes, a full disk for
// example: the sender tries again. Any other error ends the sender.
var ErrUnavailable = errors.New("journal: unavailable, try again")
