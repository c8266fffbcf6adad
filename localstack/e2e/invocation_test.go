//go:build unix

package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/runtimeapi"
)

// invocation is a batch on a process.
type invocation struct {
	process   *runtimeapi.Bootstrap
	batch     []record
	killAfter time.Duration // negative: it is left alone

	failed map[string]bool // ids of messages that were reported as failed
	died   bool            // the process, before it answered
	killed bool            // and that was us
	err    error
}

// do invokes, gives the process back to its pool, and restarts it first if it
// died.
func (i *invocation) do(ctx context.Context, p *pool) {
	defer p.giveBack(i.process)
	event, err := json.Marshal(map[string]any{"Records": i.batch})
	if err != nil {
		i.err = err
		return
	}
	answered := make(chan struct{})
	var killer sync.WaitGroup
	if i.killAfter >= 0 {
		killer.Go(func() {
			timer := time.NewTimer(i.killAfter)
			defer timer.Stop()
			select {
			case <-timer.C:
				i.process.Kill()
			case <-answered:
			}
		})
	}
	answer, err := i.process.Invoke(ctx, event, time.Now().Add(deadline))
	close(answered)
	killer.Wait()
	var exit *runtimeapi.ExitError
	i.died = errors.As(err, &exit)
	i.killed = i.died && i.killAfter >= 0
	select {
	case <-i.process.Exited(): // in the invocation, or just behind it
		if err := i.process.Restart(ctx); err != nil {
			i.err = err
			return
		}
	default:
	}
	if err != nil {
		if !i.died {
			i.err = err
		}
		return
	}
	i.failed, i.err = failures(answer)
}
