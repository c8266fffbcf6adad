package keyring

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Config configures a Ring.
type Config struct {
	// Keys of the stack. Required.
	Keys store.Keys
	// Current is the id of the key with which tokens are made; default "1".
	Current string
	// Random is the source of new keys; default crypto/rand.Reader.
	Random io.Reader
	// Now returns the time; default time.Now.
	Now func() time.Time
}

// heldFor is how long a process uses a key other than the current one without reading it again.
// Tokens stay valid for that long after their key is deleted.
const heldFor = 10 * time.Minute

// Ring has the keys that one process has read. It reads the current key once, and creates it if it
// does not exist. It reads any other key when a token names it, and again after ten minutes. Its
// methods may be called from several goroutines.
type Ring struct {
	cfg Config

	mu      sync.Mutex
	current *secret
	others  map[string]held
}

// held is a key as it was read.
type held struct {
	*secret
	read time.Time
}

// New returns a ring. It makes no request.
func New(cfg Config) (*Ring, error) {
	if cfg.Keys == nil {
		return nil, fmt.Errorf("keyring: Keys is required")
	}
	if cfg.Current == "" {
		cfg.Current = "1"
	}
	if err := CheckID(cfg.Current); err != nil {
		return nil, err
	}
	if cfg.Random == nil {
		cfg.Random = rand.Reader
	}
	if cfg.Now == nil {
		cfg.Now = func() time.Time { return time.Now().Round(0) } // The process may have been frozen in between.
	}
	return &Ring{cfg: cfg, others: map[string]held{}}, nil
}

// Ready reads the current key once, and creates it if it does not exist. Token may be called after
// Ready has returned nil.
func (r *Ring) Ready(ctx context.Context) error {
	if r.currentKey() != nil {
		return nil
	}
	key, err := r.cfg.Keys.Key(ctx, r.cfg.Current)
	if err == nil && key == nil {
		fresh := make([]byte, KeySize)
		if _, err = io.ReadFull(r.cfg.Random, fresh); err == nil {
			key, err = r.cfg.Keys.Create(ctx, r.cfg.Current, fresh)
		}
	}
	if err == nil {
		err = checkKey(key)
	}
	if err != nil {
		return fmt.Errorf("keyring: current key %q: %w", r.cfg.Current, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = newSecret(key)
	return nil
}

// Learn reads the key that a token names, unless it is known; it reads the current key as Ready
// does. An error means that the key could not be read, not that it does not exist: the message with
// the token must be processed again later. A missing key is not remembered, because a process of a
// newer deployment may create the key immediately afterwards.
func (r *Ring) Learn(ctx context.Context, token string) error {
	id, ok := Keyed(token)
	if !ok {
		return nil
	}
	if id == r.cfg.Current {
		return r.Ready(ctx)
	}
	now := r.cfg.Now()
	r.mu.Lock()
	known, ok := r.others[id]
	r.mu.Unlock()
	if age := now.Sub(known.read); ok && age >= 0 && age < heldFor {
		return nil
	}
	key, err := r.cfg.Keys.Key(ctx, id)
	if err == nil && key != nil {
		err = checkKey(key)
	}
	if err != nil {
		return fmt.Errorf("keyring: key %q, which a token names: %w", id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if key == nil {
		delete(r.others, id)
		return nil
	}
	r.others[id] = held{newSecret(key), now}
	return nil
}

// Token returns the token of a scheduling event, made with the current key. atMS is when the event
// was recorded, in Unix milliseconds: after the tables were restored to an earlier time, another
// event may get the same id, but has another time.
func (r *Ring) Token(instance string, executionID, eventID, atMS int64) string {
	key := r.currentKey()
	if key == nil {
		panic("keyring: Token before Ready")
	}
	return key.token(r.cfg.Current, instance, executionID, eventID, max(atMS, 0))
}

// Proves reports whether a token is that of a scheduling event recorded at the time in the token
// (EventTime), made with a key that the stack has. Learn must have read that key; a token of an
// unknown key proves nothing.
func (r *Ring) Proves(token, instance string, executionID, eventID int64) bool {
	id, atMS, ok := parts(token)
	if !ok {
		return false
	}
	r.mu.Lock()
	key := r.others[id].secret
	if id == r.cfg.Current {
		key = r.current
	}
	r.mu.Unlock()
	return key != nil && hmac.Equal([]byte(token), []byte(key.token(id, instance, executionID, eventID, atMS)))
}

// Knows reports whether the key that a token names is known.
func (r *Ring) Knows(token string) bool {
	id, ok := Keyed(token)
	r.mu.Lock()
	defer r.mu.Unlock()
	return ok && (id == r.cfg.Current && r.current != nil || r.others[id].secret != nil)
}

func (r *Ring) currentKey() *secret {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

func checkKey(key []byte) error {
	if len(key) != KeySize {
		return fmt.Errorf("it has %d bytes, want %d: restore it, or use another id", len(key), KeySize)
	}
	return nil
}
