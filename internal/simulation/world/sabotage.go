package world

import (
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// Sabotage breaks the world on purpose, so that a test can verify that the checks detect
// it. Otherwise it is not set.
type Sabotage struct {
	// Commit returns the store's answer, which replaces err.
	Commit func(c *store.Commit, err error) error
	// Loses reports whether a message that a process sends to the queue of that name is
	// lost, although the answer says that it was accepted.
	Loses func(to string, m *queue.Outgoing) bool
	// Early is set if messages are acknowledged when they are received. Only in scopes.
	Early bool
}

// OpensOnly makes all processes decode payloads without encoding any: a host without a
// codec saves the reads that are needed to encode a record. It returns how many sets of
// keys the world had, and whether one of them lacks a key.
func (w *World) OpensOnly() (sets int, lacks bool) {
	sets, lacks = len(w.Encoding.processes), w.Encoding.complete != nil
	w.Encoding = newEncoding(1)
	opens := codecs(nil, &w.Encoding.keys[0], &w.Encoding.keys[1])
	w.Encoding.processes, w.Encoding.World, w.Encoding.encoders = []*codec.Set{opens}, opens, 0
	return sets, lacks
}

// ClaimsToEncode treats processes that only decode payloads as if they encoded.
func (w *World) ClaimsToEncode() {
	w.Encoding = newEncoding(1)
	w.Encoding.processes[0] = codecs(nil, &w.Encoding.keys[0], &w.Encoding.keys[1])
}
