package host

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"sync"
)

// random hands out what is random. It may be used by several goroutines.
type random struct {
	mu     sync.Mutex
	source io.Reader
	room   [16]byte // what is read into: it has to be on the heap
}

func newRandom(source io.Reader) *random {
	if source == nil {
		source = rand.Reader
	}
	return &random{source: source}
}

func (r *random) bytes() (b [16]byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err = io.ReadFull(r.source, r.room[:]); err != nil {
		return b, fmt.Errorf("host: source of randomness: %w", err)
	}
	return r.room, nil
}

// hex returns 128 random bits in lower-case hex.
func (r *random) hex() (string, error) {
	b, err := r.bytes()
	var text [32]byte
	hex.Encode(text[:], b[:])
	return string(text[:]), err
}

// share returns a number from 0 to below 1.
func (r *random) share() (float64, error) {
	b, err := r.bytes()
	n := uint64(0)
	for _, x := range b[:7] {
		n = n<<8 | uint64(x)
	}
	return float64(n>>3) / (1 << 53), err
}
