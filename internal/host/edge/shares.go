package edge

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// QueueOf returns the name of the queue for attempts with this policy; empty for the default queue.
func QueueOf(r *history.Retry) string {
	if r == nil {
		return ""
	}
	return r.Queue
}

// FairGroup returns the message group under which attempts with this policy share their queue
// fairly; empty for none.
func FairGroup(r *history.Retry) string {
	if r == nil || r.FairKey == "" {
		return ""
	}
	return wire.Group(r.FairKey)
}
