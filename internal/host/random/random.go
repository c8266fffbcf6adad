// Package random provides random bytes, tokens and fractions.
package random

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
)

// Source provides random values. It may be used by several goroutines.
type Source struct {
	mu     sync.Mutex
	source io.Reader
	room   [16]byte // the buffer to read into, which must be on the heap
}

// New returns a source that reads from source; crypto/rand if source is nil.
func New(source io.Reader) *Source {
	if source == nil {
		source = rand.Reader
	}
	return &Source{source: source}
}

// Bytes returns 128 random bits.
func (r *Source) Bytes() (b [16]byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err = io.ReadFull(r.source, r.room[:]); err != nil {
		return b, fmt.Errorf("host: reading the source of randomness: %w", err)
	}
	return r.room, nil
}

// Hex returns 128 random bits in lower-case hex.
func (r *Source) Hex() (string, error) {
	b, err := r.Bytes()
	var text [32]byte
	hex.Encode(text[:], b[:])
	return string(text[:]), err
}

// Share returns a number in [0, 1).
func (r *Source) Share() (float64, error) {
	b, err := r.Bytes()
	n := uint64(0)
	for _, x := range b[:7] {
		n = n<<8 | uint64(x)
	}
	return float64(n>>3) / (1 << 53), err
}
