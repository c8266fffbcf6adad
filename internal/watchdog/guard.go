// Package watchdog finds orchestration code that blocks outside durable operations, or never yields.
package watchdog

import (
	"iter"
	"runtime"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
)

// Limit is how long code may make no progress in a rehearsal, in real time.
const Limit = 10 * time.Second

// Guard is an engine.Guard that samples progress. Code that makes no progress for longer than the
// limit is blocked.
type Guard struct {
	Limit time.Duration
	Clock clock.Clock
	Start func(func())
	// Twice is set if code is blocked only if two samples find the same stack. Without a stack the
	// code has not been scheduled yet. A stack that differs from the previous sample's is not
	// blocked, or belongs to other code of this process.
	Twice bool
}

// Real returns a guard in real time, for a process that also runs other code.
func Real(limit time.Duration) *Guard {
	return &Guard{Limit: limit, Clock: clock.Wall{}, Start: func(run func()) { go run() }, Twice: true}
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
	before := ""
	for last := progress(); ; {
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
			stacks := Stacks()
			switch {
			case w.Twice && (stacks == "" || stacks != before):
				before = stacks
			case stacks == "":
				return "the blocked goroutine was not found among the first megabyte of stacks"
			default:
				return strings.ToValidUTF8(stacks[:min(len(stacks), maxStack)], "")
			}
		}
		last = now
	}
}

// maxStack is how much of the found stacks is kept.
const maxStack = 16 << 10

// maxStacks limits the dump of all goroutines that is searched.
const maxStacks = 1 << 20

// Stacks returns the stacks of the goroutines that run orchestration code and are not suspended by
// the engine: a suspended coroutine is in the state "coroutine", a blocked one in any other.
func Stacks() string {
	var found []string
	for g := range all() {
		head, _, _ := strings.Cut(g, "\n")
		if !strings.Contains(head, "[coroutine") && strings.Contains(g, "iter.Pull") && strings.Contains(g, "turnstile/engine.") {
			found = append(found, g)
		}
	}
	return strings.Join(found, "\n\n")
}

// Goroutine returns the number of the calling goroutine.
func Goroutine() string {
	var buf [64]byte
	number, _, _ := strings.Cut(strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine "), " ")
	return number
}

// StackOf returns the stack of the code that a goroutine runs, itself or in a coroutine that it or
// another of its coroutines started; "" if it is not found. A coroutine that is not running is in the
// state "coroutine", and so is the goroutine that waits for it.
func StackOf(root string) string {
	startedBy, runs := map[string]string{}, map[string]string{}
	for stack := range all() {
		number, rest, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		if i := strings.LastIndex(stack, " in goroutine "); i >= 0 {
			startedBy[number], _, _ = strings.Cut(stack[i+len(" in goroutine "):], "\n")
		}
		if !strings.HasPrefix(rest, "[coroutine") {
			runs[number] = stack
		}
	}
	for number, stack := range runs {
		for at := number; at != ""; at = startedBy[at] {
			if at == root {
				return stack
			}
		}
	}
	return ""
}

// all returns the stack of each goroutine.
func all() iter.Seq[string] {
	buf := make([]byte, maxStacks)
	return strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n")
}
