package store

import "context"

// Keys stores the keys of a stack. Its methods may be called from several goroutines and processes at
// once.
type Keys interface {
	// Key returns the key that is stored under an id, or nil if there is none. The read is strongly
	// consistent: it finds every key that was created before the call.
	Key(ctx context.Context, id string) ([]byte, error)
	// Create stores a key under an id that has none yet, and returns the stored key. If several
	// processes create it at once, all get the same key. A stored key is never replaced.
	Create(ctx context.Context, id string, key []byte) ([]byte, error)
}
