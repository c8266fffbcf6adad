package rehearsal

import (
	"bytes"
	"runtime"
	"strings"
	"time"
)

// Limit is how long code may make no progress, in real time.
const Limit = 10 * time.Second

// Guard is an engine.Guard in real time.
type Guard struct{ Limit time.Duration }

// Run implements engine.Guard.
func (g Guard) Run(run func(), progress func() uint64) (blockedStack string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	looked := time.NewTicker(g.Limit)
	defer looked.Stop()
	before := ""
	for last := progress(); ; {
		select {
		case <-done:
			return ""
		case <-looked.C:
		}
		now := progress()
		if now == last {
			// Without a stack the code has not been scheduled yet. A stack that differs
			// from the previous check is not blocked, or belongs to another test.
			stacks := Stacks()
			if stacks != "" && stacks == before {
				return stacks
			}
			before = stacks
		}
		last = now
	}
}

// Stacks returns the stacks of the goroutines that are in orchestration code and not
// suspended by the engine.
func Stacks() string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var found []string
	for _, g := range bytes.Split(buf, []byte("\n\n")) {
		head, _, _ := bytes.Cut(g, []byte("\n"))
		if !bytes.Contains(head, []byte("[coroutine")) && bytes.Contains(g, []byte("iter.Pull")) && bytes.Contains(g, []byte("turnstile/engine.")) {
			found = append(found, string(g))
		}
	}
	return strings.Join(found, "\n\n")
}
