package orchestrator

import (
	"context"
	"sync"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/deciding"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/logattr"
)

// blockedCode has the instances in whose code a goroutine of this process is blocked. While the
// goroutine is blocked, this process does not run the instance's code again, so that at most one
// goroutine per instance is abandoned. The instance's arrivals are recorded, and the instance is
// stuck. Another process can run the code, and so can this process after the goroutine has ended.
type blockedCode struct {
	mu sync.Mutex
	by map[string]engine.Blocked
}

func (b *blockedCode) add(e engine.Blocked) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by == nil {
		b.by = map[string]engine.Blocked{}
	}
	b.by[e.Instance] = e
}

// of returns the blocked goroutine in the code of an instance; nil if there is none.
func (b *blockedCode) of(instance string) *engine.Blocked {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, found := b.by[instance]
	if !found {
		return nil
	}
	select {
	case <-e.Over:
		delete(b.by, instance)
		return nil
	default:
		blocked := e // a copy, so that e itself is not allocated when nothing blocks
		return &blocked
	}
}

// onBlocked is called for each goroutine that is left in orchestration code. If a goroutine blocks
// in a turn, the turn itself reports that, so onBlocked logs only goroutines that block while they
// unwind.
func (o *services) onBlocked(b engine.Blocked) {
	o.code.blocked.add(b)
	if b.Unwinding {
		o.settler.Observer.Count(host.CountStuck, "unwinding", 1)
		o.settler.Logger.ErrorContext(logattr.Subject{Instance: b.Instance, ExecutionID: b.ExecutionID}.In(context.Background()), "a deferred function of orchestration code blocks while the instance is unloaded; the instance will be stuck at its next message",
			"stack", edge.Cut(b.Stack, deciding.MaxProblemStack))
	}
}
