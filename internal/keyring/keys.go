package keyring

import (
	"bytes"
	"context"
	"sync"

	"github.com/turnstile-go/turnstile/store"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// Memory is a store.Keys in memory. The zero value is empty and ready for use.
type Memory struct {
	mu   sync.Mutex
	keys map[string][]byte
}

var _ store.Keys = (*Memory)(nil)

// Key implements store.Keys.
func (m *Memory) Key(_ context.Context, id string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return bytes.Clone(m.keys[id]), nil
}

// Create implements store.Keys.
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
