package store

import "context"

// Keys keeps the keys of a stack. Its methods may be called from several
// goroutines and processes at once.
type Keys interface {
	// Key returns the key that is kept under an id, nil if there is none. The
	// read is strongly consistent: a key that was created before is found.
	Key(ctx context.Context, id string) ([]byte, error)
	// Create keeps a key under an id that has none yet, and returns the one
	// that is kept: of several processes that create it at once all are given
	// the same. A key that is kept is never replaced.
	Create(ctx context.Context, id string, key []byte) ([]byte, error)
}
