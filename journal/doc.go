// Package journal is how a database keeps the queues and the timer of one process. Package
// embedded runs them in memory, and tells a [Queue] or a [Timer] of each change. Only the
// author of another database for [github.com/turnstile-go/turnstile/embedded.Database] needs
// this package; module sqlite is such a database.
//
//   - [Queue] keeps [Message] values, and which deduplication ids were used lately
//     ([Remembered]). Its Load returns them as [Contents] when the process starts again.
//   - [Timer] keeps [Schedule] values.
//   - [ErrUnavailable] says that a call has changed nothing and may be repeated.
package journal

import "errors"

// ErrUnavailable is what an error of Ready wraps if the trouble passes, a full disk for
// example: the sender tries again. Any other error ends the sender.
var ErrUnavailable = errors.New("journal: unavailable, try again")
