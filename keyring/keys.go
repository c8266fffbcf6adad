package keyring

import (
	"bytes"
	"context"
	"sync"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// Keys keeps the keys of a stack. Its methods may be called from several
// goroutines and processes at once. Implementations: Memory, and Keys of
// store/dynamo.
type Keys interface {
	// Key returns the key that is kept under an id, nil if there is none. The
	// read is strongly consistent: a key that was created before is found.
	Key(ctx context.Context, id string) ([]byte, error)
	// Create keeps a key under an id that has none yet, and returns the one
	// that is kept: of several processes that create it at once all are given
	// the same. A key that is kept is never replaced.
	Create(ctx context.Context, id string, key []byte) ([]byte, error)
}

// Memory is a Keys in memory. The zero value is empty and ready for use.
type Memory struct {
	mu   sync.Mutex
	keys map[string][]byte
}

var _ Keys = (*Memory)(nil)

// Key implements Keys.
func (m *Memory) Key(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.keys[id]), nil
}

// Create implements Keys.
func (m *Memory) Create(_ context.Context, id string, key []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = map[string][]byte{}
	}
	if m.keys[id] == nil {
		m.keys[id] = bytes.Clone(key)
	}
	return bytes.Clone(m.keys[id]), nil
}

// Delete ends all tokens that were made under a key.
func (m *Memory) Delete(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.keys, id)
}
