// Package library is of another module: what it does with locks and variables
// is its own business, what it asks of the world is not.
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

// Cached keeps what it knows under a lock.
func Cached(key string) int {
	mu.Lock()
	defer mu.Unlock()
	cache[key] = len(key)
	return cache[key]
}

// Stamp tells the time.
func Stamp() string { return time.Now().String() }

// Remind is an orchestration that is linted nowhere but where it is used.
func Remind(ctx turnstile.Context, _ string) (string, error) {
	return Stamp(), turnstile.Sleep(ctx, time.Hour)
}
