package embedded

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/names"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queues"
)

// ConsoleOptions returns the options that a runtime gives its console: its clock, its queues, its
// dead letters, and the tokens of its activities. [WithConsole] uses them. A program that mounts
// console.Handler itself, with the runtime's client, passes them to it.
func (e *Runtime) ConsoleOptions() []console.Option {
	q := e.queues
	e.logs.Keep()
	return []console.Option{
		console.WithClock(e.clock.Now),
		console.WithQueues(consoleQueues{e}),
		console.WithAttempts(e.attempts),
		console.WithLogs(consoleLogs{&e.logs}),
		console.WithTokens(consoleTokens{e}),
		console.WithDeadLetters(deadletter.Queues{
			deadletter.Orchestrator: e.outside(), deadletter.Delay: q.Delay, deadletter.Activity: q.Activity,
			deadletter.ActivityDead: q.ActivityDead, deadletter.DeadFIFO: q.DeadFIFO, deadletter.Dead: q.DeadStandard,
		}, 0),
	}
}

// consoleQueues reads the queues of a runtime.
type consoleQueues struct{ env *Runtime }

// named returns the queues in the order in which the console shows them.
func (c consoleQueues) named() []struct {
	name       string
	queue      *memoryqueue.Queue
	dead, fifo bool
} {
	q := c.env.queues
	all := []struct {
		name       string
		queue      *memoryqueue.Queue
		dead, fifo bool
	}{
		{deadletter.Orchestrator, q.Orchestrator, false, true}, {deadletter.Delay, q.Delay, false, false},
		{deadletter.Activity, q.Activity, false, false}, {deadletter.ActivityDead, q.ActivityDead, false, false},
		{deadletter.DeadFIFO, q.DeadFIFO, true, true}, {deadletter.Dead, q.DeadStandard, true, false},
	}
	for i, name := range slices.Sorted(maps.Keys(q.Named)) {
		named := all[2]
		named.name, named.queue = queues.OfName(name), q.Named[name]
		all = slices.Insert(all, 3+i, named)
	}
	return all
}

// Queues implements console.QueueReader.
func (c consoleQueues) Queues(ctx context.Context) ([]api.Queue, error) {
	var out []api.Queue
	for _, q := range c.named() {
		n := q.queue.Counts()
		shown := api.Queue{Name: q.name, FIFO: q.fifo, DeadLetters: q.dead, Visible: n.Visible, InFlight: n.InFlight, Delayed: n.Delayed}
		if name, is := ofAttempts(q.name); is {
			p, _, err := c.env.readPause(ctx, name)
			if err != nil {
				return nil, err
			}
			if p.AtMS > 0 {
				shown.Pause = &api.QueuePause{Paused: p.Paused, By: p.By, At: time.UnixMilli(p.AtMS).UTC()}
			}
		}
		out = append(out, shown)
	}
	return out, nil
}

// PausedQueues implements console.QueuePauseReader.
func (c consoleQueues) PausedQueues(ctx context.Context) ([]api.PausedQueue, error) {
	var out []api.PausedQueue
	for _, queue := range c.env.queueNames() {
		p, _, err := c.env.readPause(ctx, queue)
		if err != nil {
			return nil, err
		}
		if p.Paused {
			shown := queues.OfName(queue)
			if queue == names.DefaultQueue {
				shown = deadletter.Activity
			}
			out = append(out, api.PausedQueue{Name: shown, Queue: queue, By: p.By, At: time.UnixMilli(p.AtMS).UTC()})
		}
	}
	return out, nil
}

// ofAttempts returns the name of the activity queue that the console shows under this name, if
// there is one.
func ofAttempts(shown string) (name string, is bool) {
	if shown == deadletter.Activity {
		return names.DefaultQueue, true
	}
	return strings.CutPrefix(shown, queues.OfName(""))
}

// PauseQueue implements console.QueuePauser.
func (c consoleQueues) PauseQueue(ctx context.Context, queue, actor string, paused bool) error {
	return c.env.pauseQueue(ctx, queue, actor, paused)
}

// QueueAges implements console.QueueAger.
func (c consoleQueues) QueueAges(context.Context) ([]api.QueueAge, error) {
	now := c.env.clock.Now()
	var out []api.QueueAge
	for _, q := range c.named() {
		age := api.QueueAge{Name: q.name, At: now.UTC()}
		for _, m := range q.queue.Snapshot() {
			age.OldestSeconds = max(age.OldestSeconds, now.Sub(m.SentAt).Seconds())
		}
		out = append(out, age)
	}
	return out, nil
}
