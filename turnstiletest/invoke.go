package turnstiletest

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/watchdog"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// handle passes a batch to its process.
func (e *Env) handle(t *task) {
	e.t.Helper()
	if t.from.Is == platform.SourceActivity {
		e.checkImplemented(t.batch)
	}
	if err := e.processes(); err != nil {
		e.t.Fatalf("turnstiletest: %v", err)
	}
	if t.from.Is != platform.SourceActivity {
		t.orchestrator = e.orchestrators[e.nextProcess()]
	}
	// Buffered, so that an abandoned task can still end.
	t.turn, t.resumed = make(chan bool, 1), make(chan struct{})
	t.dead, t.failed = false, nil
	e.invocations++
	t.invocation = e.invocations
	t.attempt.Store(nil)
	e.boundary.enter(t)
	e.metrics.of(t).Start()
	go t.run()
	e.watch(t)
}

// proceed continues a paused task.
func (e *Env) proceed(t *task) {
	e.t.Helper()
	e.boundary.enter(t)
	t.waiting = nil
	t.resumed <- struct{}{}
	e.watch(t)
}

// resume continues a task whose context has ended, and reports whether the task ends.
func (e *Env) resume(t *task) bool {
	for {
		t.resumed <- struct{}{}
		select {
		case ended := <-t.turn:
			if ended {
				return true
			}
		case <-time.After(e.opts.stall):
			return false
		}
	}
}

// watch waits until the task is done or pauses.
func (e *Env) watch(t *task) {
	e.t.Helper()
	looks, stacks := 0, ""
	for {
		select {
		case ended := <-t.turn:
			e.boundary.leave()
			if ended {
				e.settle(t)
			} else {
				e.paused = append(e.paused, t)
			}
			if e.failure != "" {
				e.t.Fatalf("turnstiletest: %s", e.failure)
			}
			return
		case <-time.After(e.opts.stall):
			looks++
			stacks = e.stalled(t, looks, stacks)
		}
	}
}

// stalled is called when a task works for a long time. An attempt may be waiting for its own
// timeout, so virtual time continues; orchestration code must not wait outside durable operations.
// If the code is at another line each time, it may be slow because the machine is loaded, or the
// stacks may be those of another test. before are the stacks of the previous call; stalled returns
// the current ones.
func (e *Env) stalled(t *task, looks int, before string) (stacks string) {
	e.t.Helper()
	attempt := t.attempt.Load()
	if attempt == nil {
		if stacks = watchdog.Stacks(); stacks != "" && (stacks == before || looks > mostLooks) {
			e.t.Fatalf("turnstiletest: orchestration code blocks outside durable operations, or never returns; wait with durable timers, events and activities instead of sleeps, channels, locks or I/O\n%s", stacks)
		}
		return stacks
	}
	if looks == 1 {
		e.t.Logf("turnstiletest: activity %q has run for more than %s of real time; if it should wait in virtual time, use turnstiletest.Sleep. Virtual time continues now", attempt.name, e.opts.stall)
	}
	e.clock.Fire(true)
	return ""
}

// mostLooks is the number of checks of running code after which the test fails.
const mostLooks = 12

// settle acknowledges or returns the messages of a batch, as the event source does. The response of
// a process that was killed is lost: its messages are redelivered immediately and at the same
// position in the queue, so that a crash does not change the order by itself.
func (e *Env) settle(t *task) {
	e.t.Helper()
	switch {
	case t.dead:
		if at := slices.Index(e.orchestrators, t.orchestrator); t.from.Is != platform.SourceActivity && at >= 0 {
			t.orchestrator.Close()
			e.orchestrators[at] = nil
		}
		for i := range t.batch {
			t.batch[i].ReceiveCount++
		}
		e.returning = append(e.returning, t)
		return
	case t.again:
		return
	}
	e.charge(t)
	if err := queue.Settle(e.ctx, t.from.Queue, t.batch, t.failed); err != nil {
		e.t.Fatalf("turnstiletest: acknowledging: %v", err)
	}
	if e.opts.twice {
		if again := t.repeated(); len(again) > 0 {
			e.returning = append(e.returning, &task{env: e, from: t.from, batch: again, again: true})
		}
	}
}

// repeated returns the messages of a batch that are delivered a second time. It leaves out messages
// that the worker sent instead of an attempt that has to wait (for a Rate, for example). Each of
// its two deliveries would send such a message again, so the number of messages would double with
// each wait.
func (t *task) repeated() []queue.Message {
	var again []queue.Message
	for _, m := range t.batch {
		if t.from.Is == platform.SourceActivity {
			if item, err := wire.Parse([]byte(m.Body)); err == nil && item.Hops > 0 {
				continue
			}
		}
		m.Receipt = ""
		again = append(again, m)
	}
	return again
}
