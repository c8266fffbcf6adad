package world

import (
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// Sabotage is how a test breaks the world on purpose, to see that it is found
// out. Nothing of it is set otherwise.
type Sabotage struct {
	// Commit is what the store answers in place of err.
	Commit func(c *store.Commit, err error) error
	// Loses reports whether a message that a process sends to the queue of
	// that name gets lost, with an answer that it is in.
	Loses func(to string, m *queue.Outgoing) bool
	// Early: messages are acknowledged when they are received. In scopes alone.
	Early bool
}

// OpensOnly has no process seal payloads, with codecs that can open them: a host
// without any saves the reads that sealing a record together needs. It returns how
// many sets of keys the world had, and whether one of them lacks a key.
func (w *World) OpensOnly() (sets int, lacks bool) {
	sets, lacks = len(w.Sealing.processes), w.Sealing.complete != nil
	w.Sealing = newSealing(1)
	opens := codecs(nil, &w.Sealing.keys[0], &w.Sealing.keys[1])
	w.Sealing.processes, w.Sealing.World, w.Sealing.sealers = []*codec.Set{opens}, opens, 0
	return sets, lacks
}

// ClaimsToSeal has processes that only open payloads taken for ones that seal.
func (w *World) ClaimsToSeal() {
	w.Sealing = newSealing(1)
	w.Sealing.processes[0] = codecs(nil, &w.Sealing.keys[0], &w.Sealing.keys[1])
}
