package stack

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// poll is Run with pollers: each waits for messages, takes what is there when the first
// comes, and waits again when its invocation has ended, as Lambda's do.
func (s *Stack) poll(rest time.Duration) {
	ctx, stop := context.WithCancel(s.t.Context())
	var pollers sync.WaitGroup
	var working, invocations atomic.Int64
	idle := newPool(s.warm)
	start := func(q queue.Queue, from platform.Source, w *workerProcess) {
		pollers.Go(func() {
			for ctx.Err() == nil {
				got, err := q.Receive(ctx, s.setting.Batch, 20*time.Second)
				if err != nil || len(got) == 0 {
					continue
				}
				working.Add(1)
				invocations.Add(1)
				if w != nil {
					s.invoke(q, from, got, nil, w)
				} else {
					p := idle.take(s)
					s.invoke(q, from, got, p, nil)
					idle.put(p)
				}
				working.Add(-1)
			}
		})
	}
	for i := range s.setting.Pollers {
		start(s.queues.Orchestrator, platform.SourceOrchestrator, nil)
		start(s.queues.Delay, platform.SourceDelay, nil)
		start(s.queues.Activity, platform.SourceActivity, s.workers[i])
	}
	for calm, before := time.Duration(0), int64(-1); calm <= rest; {
		time.Sleep(time.Second)
		if n := invocations.Load(); n != before || working.Load() > 0 {
			calm, before = 0, n
			continue
		}
		calm += time.Second
	}
	stop()
	pollers.Wait()
}

// pool is the processes of the orchestrator function that nothing runs on. The one used
// last is used next, and there are as many as run at once.
type pool struct {
	mu   sync.Mutex
	free []*process
}

func newPool(warm []*process) *pool { return &pool{free: append([]*process(nil), warm...)} }

func (p *pool) take(s *Stack) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		one := s.process()
		s.mu.Lock()
		s.warm = append(s.warm, one)
		s.mu.Unlock()
		return one
	}
	one := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return one
}

func (p *pool) put(one *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, one)
}
