package simulation

import (
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
)

// sabotage is how a test breaks the world on purpose, to see that it is found
// out. Nothing of it is set otherwise.
type sabotage struct {
	// commit is what the store answers in place of err.
	commit func(c *store.Commit, err error) error
	// loses reports whether a message that a process sends to the queue of
	// that name gets lost, with an answer that it is in.
	loses func(to string, m *queue.Outgoing) bool
	// early: messages are acknowledged when they are received. In scopes alone.
	early bool
}
