package embedded

import (
	"crypto/rand"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queues"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// openNamed opens the named activity queues: those that are served, and those with messages in the
// database, which wait until the queue is served again.
func (e *Runtime) openNamed(app *turnstile.App) error {
	served := maps.Clone(e.opts.queues)
	if served == nil {
		served = map[string]int{}
	}
	for _, name := range app.Activities().Queues() {
		if served[name] == 0 {
			served[name] = e.opts.workers
		}
	}
	e.opts.queues = served
	kept, err := e.database.Queues()
	if err != nil {
		return err
	}
	open := slices.Sorted(maps.Keys(served))
	for _, name := range kept {
		if name, named := strings.CutPrefix(name, queues.OfName("")); named {
			open = append(open, name)
		}
	}
	for _, name := range open {
		if err := e.queues.Add(name); err != nil {
			return err
		}
	}
	return nil
}

// queued returns the instances that have an attempt in an activity queue, each once; false if the
// queue does not exist.
func (e *Runtime) queued(name string) (instances []string, known bool) {
	q := e.activityQueue(name)
	if q == nil {
		return nil, false
	}
	found := map[string]bool{}
	for _, m := range q.Peek() {
		if item, err := wire.Parse([]byte(m.Body)); err == nil {
			found[item.Instance] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), true
}

// activityQueues returns all activity queues.
func (e *Runtime) activityQueues() []*memoryqueue.Queue {
	all := []*memoryqueue.Queue{e.queues.Activity}
	for _, name := range slices.Sorted(maps.Keys(e.queues.Named)) {
		all = append(all, e.queues.Named[name])
	}
	return all
}

// sources returns the queues from which the runtime receives.
func (e *Runtime) sources() []queues.Source {
	all := e.queues.Sources()
	for _, name := range slices.Sorted(maps.Keys(e.opts.queues)) {
		all = append(all, queues.Source{Queue: e.queues.Named[name], Is: platform.SourceActivity, Name: name})
	}
	return all
}

// workersOf returns how many messages of a queue are handled at a time.
func (e *Runtime) workersOf(s queues.Source) int {
	if s.Name != "" {
		return e.opts.queues[s.Name]
	}
	return e.opts.workers
}

// forHost returns the queues for the host.
func (e *Runtime) forHost(wrap func(q *memoryqueue.Queue, final bool) queue.Queue) platform.Queues {
	q := e.queues.ForHost(wrap)
	q.Named = func(name string) queue.Queue {
		if name == names.DefaultQueue {
			return wrap(e.queues.Activity, false)
		}
		if e.opts.queues[name] == 0 {
			return nil
		}
		return wrap(e.queues.Named[name], false)
	}
	return q
}

// newWorkers creates a worker for each served activity queue.
func (e *Runtime) newWorkers(app *turnstile.App, stops store.Activities, forHost platform.Queues) error {
	e.workers = map[string]*worker.Worker{}
	for _, s := range e.sources() {
		if s.Is != platform.SourceActivity {
			continue
		}
		own := forHost
		own.Activity = s.Queue
		w, err := worker.New(worker.Config{
			Activities: app.Activities(), Stops: stops, Queues: own, Queue: s.Name, Codecs: e.opts.codecs, Settings: e.opts.settings,
			Environment: platform.Environment{Clock: e.clock, Random: rand.Reader, Observer: e.opts.observer, Logger: e.logger()},
		})
		if err != nil {
			return err
		}
		e.workers[s.Name] = w
	}
	return nil
}
