package edge

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// QueueOf is the name of the queue that attempts with this policy go through; empty for
// the one without a name.
func QueueOf(r *history.Retry) string {
	if r == nil {
		return ""
	}
	return r.Queue
}

// FairGroup is the message group under which attempts with this policy share their queue
// with others; empty for none.
func FairGroup(r *history.Retry) string {
	if r == nil || r.FairKey == "" {
		return ""
	}
	return wire.Group(r.FairKey)
}
