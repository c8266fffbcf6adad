// Package helpers is called by orchestrations of another package.
package helpers

import (
	"os"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile"
)

func Stamp(id string) string { return id + stamp() } // want Stamp:`clock`

func stamp() string { return now().String() } // want stamp:`clock`

var now = time.Now // want now:`clock`

// Rate causes two kinds of findings.
func Rate() string { // want Rate:`sync, env`
	once.Do(func() {})
	return os.Getenv("RATE")
}

var once sync.Once

type Counter[T any] struct{ n T }

func (c Counter[T]) Wait() T { // want Wait:`clock`
	time.Sleep(1)
	return c.n
}

// Ping and Pong call each other.
func Ping(n int) int { // want Ping:`clock`
	if n == 0 {
		return time.Now().Nanosecond()
	}
	return Pong(n - 1)
}

func Pong(n int) int { return Ping(n) } // want Pong:`clock`

// Known is allowed for all callers.
func Known() time.Time {
	return time.Now() //turnstile:allow clock it is compared with nothing but itself
}

// Guarded is orchestration code, and has its own finding.
func Guarded(ctx turnstile.Context) time.Time { // want Guarded:`orchestration, clock`
	return time.Now() // want `clock: time.Now`
}

// Clock is called through an interface by some callers.
type Clock interface{ Now() time.Time }

var Changing = 1 // want Changing:`written by Change`

func Change() { Changing++ } // want Change:`global`

// Keys returns the keys in the order of the map.
func Keys(m map[string]int) []string { // want Keys:`in the order of a map`
	var all []string
	for k := range m {
		all = append(all, k)
	}
	return all
}
