// Package watchdog finds orchestration code that blocks.
package watchdog

import (
	"bytes"
	"runtime"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/edge"
)

// Guard is an engine.Guard that samples progress. Code that makes no progress for longer than the
// limit is blocked outside durable operations, or never yields.
type Guard struct {
	Limit time.Duration
	Clock clock.Clock
	Start func(func())
}

// Run implements engine.Guard.
func (w *Guard) Run(run func(), progress func() uint64) (blockedStack string) {
	done := make(chan struct{})
	w.Start(func() {
		defer close(done)
		run()
	})
	select {
	case <-done:
		// Most turns finish at once.
		return ""
	default:
	}
	last := progress()
	for {
		passed := make(chan struct{})
		stop := w.Clock.AfterFunc(w.Limit, func() { close(passed) })
		select {
		case <-done:
			stop()
			return ""
		case <-passed:
		}
		now := progress()
		if now == last {
			return blockedStacks()
		}
		last = now
	}
}

// maxStack is how much of the found stacks is kept.
const maxStack = 16 << 10

// maxStacks limits the dump of all goroutines that is searched.
const maxStacks = 1 << 20

// blockedStacks returns the stacks of the goroutines that run orchestration code and are not
// suspended by the engine: a suspended coroutine is in the state "coroutine", a blocked one in any
// other.
func blockedStacks() string {
	buf := make([]byte, maxStacks)
	buf = buf[:runtime.Stack(buf, true)]
	var found [][]byte
	for _, g := range bytes.Split(buf, []byte("\n\n")) {
		head, _, _ := bytes.Cut(g, []byte("\n"))
		if bytes.Contains(head, []byte("[coroutine")) || !bytes.Contains(g, []byte("iter.Pull")) || !bytes.Contains(g, []byte("turnstile/engine.")) {
			continue
		}
		found = append(found, g)
	}
	if len(found) == 0 {
		return "the blocked goroutine was not found among the first megabyte of stacks"
	}
	return edge.Cut(string(bytes.Join(found, []byte("\n\n"))), maxStack)
}
