// Package library belongs to another module: it may use locks and variables as it likes, but it may
// not read clocks or use the network.
package library

import (
	"sync"
	"time"

	"github.com/turnstile-go/turnstile"
)

var (
	mu    sync.Mutex
	cache = map[string]int{}
)

// Cached protects its values with a lock.
func Cached(key string) int {
	mu.Lock()
	defer mu.Unlock()
	cache[key] = len(key)
	return cache[key]
}

// Stamp returns the time.
func Stamp() string { return time.Now().String() }

// Remind is an orchestration that is linted only where it is used.
func Remind(ctx turnstile.Context, _ string) (string, error) {
	return Stamp(), turnstile.Sleep(ctx, time.Hour)
}
