// Package journal defines how a database keeps the queues and the timer of one process. Package
// embedded runs them in memory, and reports each change to a [Queue] or a [Timer]. You only need
// this package to write your own database for
// [github.com/turnstile-go/turnstile/embedded.Database]; module sqlite is such a database.
//
//   - [Queue] keeps [Message] values, and the recently used deduplication ids ([Remembered]). Its
//     Load returns them as [Contents] when the process starts again.
//   - [Timer] keeps [Schedule] values.
//   - [ErrUnavailable] means that a call has changed nothing and may be repeated.
package journal

import "errors"

// ErrUnavailable is wrapped by an error of Ready if the problem is temporary, for example a full
// disk: the sender tries again. Any other error stops the sender.
var ErrUnavailable = errors.New("journal: unavailable, try again")
