package turnstiletest

import (
	"bytes"
	"runtime"
	"strings"
	"time"
)

// replayTime is how long code may make no progress in a replay, in real time.
const replayTime = 10 * time.Second

// guard is an engine.Guard in real time.
type guard struct{ limit time.Duration }

// Run implements engine.Guard.
func (g guard) Run(run func(), progress func() uint64) (blockedStack string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	looked := time.NewTicker(g.limit)
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
			// Without a stack the code has not come to run yet, and one that is
			// another at each look is not what blocks: it may be that of another
			// test.
			stacks := orchestrationStacks()
			if stacks != "" && stacks == before {
				return stacks
			}
			before = stacks
		}
		last = now
	}
}

// orchestrationStacks returns the stacks of the goroutines that are in
// orchestration code and not parked by the engine.
func orchestrationStacks() string {
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
