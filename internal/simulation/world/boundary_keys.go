package world

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/turnstile-go/turnstile/internal/keyring"
)

// simKeys are the keys of the stack, as a process sees them.
type simKeys struct {
	keys *keyring.Memory
	p    *Process
}

func (k simKeys) Key(ctx context.Context, id string) (key []byte, err error) {
	if k.p.W.Walk != nil {
		return k.keys.Key(ctx, id) // In the search of a scope, access to keys never fails.
	}
	err = k.p.call(readClass, func() string { return fmt.Sprintf("reads key %q", id) }, func() error {
		key, err = k.keys.Key(ctx, id)
		return err
	})
	return key, err
}

func (k simKeys) Create(ctx context.Context, id string, key []byte) (kept []byte, err error) {
	if k.p.W.Walk != nil {
		return k.keys.Create(ctx, id, key)
	}
	err = k.p.call(writeClass, func() string { return fmt.Sprintf("creates key %q", id) }, func() error {
		kept, err = k.keys.Create(ctx, id, key)
		return err
	})
	return kept, err
}

// ring returns the keyring of a process. In every second run each deployment has a different
// current key, while messages with tokens of the earlier keys are on their way and processes of the
// previous deployment continue.
func (w *World) ring(p *Process) *keyring.Ring {
	// If two processes create a key at the same time, each makes a different key.
	random := rand.NewChaCha8([32]byte{byte(w.started), byte(w.started >> 8), 'k'})
	r, err := keyring.New(keyring.Config{Keys: simKeys{&w.keys, p}, Current: w.currentKey(), Random: random, Now: p.clock.Now})
	if err != nil {
		panic(err)
	}
	return r
}

func (w *World) currentKey() string {
	if w.entropy%2 == 0 {
		return "1"
	}
	return fmt.Sprintf("%d", 1+w.deploys)
}
