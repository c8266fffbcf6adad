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

// blockedCode are the instances in whose code a goroutine of this process is
// blocked. While one is, the code of its instance is not run again here, so that
// no more than one goroutine is left behind for an instance: its arrivals are
// recorded, and the instance is stuck. Another process, or this one when the
// goroutine has ended after all, runs it.
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

// of returns what blocks in the code of an instance, nil if nothing does.
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
		blocked := e // e itself would be allocated where nothing blocks, too
		return &blocked
	}
}

// onBlocked is told of each goroutine that is left in orchestration code. A
// turn that was blocked says so by itself.
func (o *maker) onBlocked(b engine.Blocked) {
	o.code.blocked.add(b)
	if b.Unwinding {
		o.desk.Observer.Count(host.CountStuck, "unwinding", 1)
		o.desk.Logger.ErrorContext(logattr.Subject{Instance: b.Instance, ExecutionID: b.ExecutionID}.In(context.Background()), "a deferred function of orchestration code blocks while the instance is put away; the instance is stuck at its next message",
			"stack", edge.Cut(b.Stack, deciding.MaxProblemStack))
	}
}
