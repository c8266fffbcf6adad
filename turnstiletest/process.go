package turnstiletest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// processes starts the processes that are not running.
func (e *Env) processes() error {
	if e.orchestrators == nil {
		e.orchestrators = make([]*orchestrator.Orchestrator, e.opts.processes)
	}
	if e.worker != nil && !slices.Contains(e.orchestrators, nil) {
		return nil
	}
	activities, err := e.activities()
	if err != nil {
		return err
	}
	settings := e.opts.settings
	// All work runs sequentially, on the goroutine of its task, so the order is always the same.
	settings.Parallelism, settings.Dispatch.Parallelism, settings.Turn.BlockLimit = 1, 1, -1
	if !e.opts.warm {
		settings.Cache.Instances = -1
	}
	forHost := e.queues.ForHost(func(q *memoryqueue.Queue, _ bool) queue.Queue { return e.meter.Queue(boundedQueue{q, &e.boundary}) })
	clock := envClock{e.clock}
	stops := e.meter.Activities(boundedActivities{e.stops, &e.boundary})
	for i, is := range e.orchestrators {
		if is != nil {
			continue
		}
		// Reading keys does not count as a call, because processes are killed only at calls that
		// affect the history.
		keys, err := keyring.New(keyring.Config{Keys: &e.keys, Random: &counter{}, Now: e.clock.Now})
		if err != nil {
			return err
		}
		e.orchestrators[i], err = orchestrator.New(orchestrator.Config{
			Orchestrations: e.app.Orchestrations(),
			Inline:         activities,
			Services:       orchestrator.Services{Store: e.meter.Store(boundedStore{e.store, &e.boundary, e.recorded, e.hasRead}), Stops: stops, Queues: e.ofOrchestrators(forHost), Timer: e.meter.Timer(boundedTimer{e.timer, &e.boundary})},
			Codecs:         e.opts.codecs,
			Keys:           keys,
			Settings:       settings,
			Environment:    platform.Environment{Clock: clock, Random: draws{&e.boundary}, Go: here, Observer: observer{e.metrics.orchestrator, e}, Logger: e.opts.log()},
			SweepAt:        e.sweeper.At,
		})
		if err != nil {
			return err
		}
	}
	e.worker, err = worker.New(worker.Config{
		Activities: activities, Stops: stops, Queues: forHost, Queue: worker.AnyQueue, Codecs: e.opts.codecs, Settings: settings, Environment: platform.Environment{Clock: clock, Random: middle{&e.claims}, Go: here, Observer: observer{e.metrics.worker, e}, Logger: e.opts.log()},
	})
	return err
}

// restart ends the processes without a crash, because their application has changed.
func (e *Env) restart() {
	e.closeOrchestrators()
	e.orchestrators, e.worker = nil, nil
}

func (e *Env) closeOrchestrators() {
	for _, o := range e.orchestrators {
		if o != nil {
			o.Close()
		}
	}
}

// nextProcess returns the index of the orchestrator that takes the next batch.
func (e *Env) nextProcess() int {
	n := len(e.orchestrators)
	if e.shuffle != nil && n > 1 {
		return e.shuffle.IntN(n)
	}
	e.handled++
	return (e.handled - 1) % n
}

// activities returns the activities that processes can run: the application's own, and those that
// only mocks implement.
func (e *Env) activities() (*activities.Registry, error) {
	own := e.app.Activities()
	var entries []activities.Activity
	for _, name := range own.Names() {
		a, err := own.Lookup(name)
		if err != nil {
			return nil, err
		}
		a.Func = e.intercept(name, a.Func)
		entries = append(entries, a)
	}
	for name, m := range e.mocked {
		if _, err := own.Lookup(name); err != nil {
			entries = append(entries, activities.Activity{Name: name, Func: e.intercept(name, nil), Source: m.source})
		}
	}
	return activities.NewRegistry(entries...)
}

// intercept returns the code of an activity in a test: the code of a mock, or the activity's own.
func (e *Env) intercept(name string, own activities.Func) activities.Func {
	return func(ctx context.Context, input []byte) ([]byte, error) {
		t, ok := ctx.Value(taskKey{}).(*task)
		info, _ := activities.InfoFrom(ctx)
		if !ok {
			return nil, errors.New("turnstiletest: an attempt runs outside its environment")
		}
		if e.boundary.isDead(t) {
			// The process died at its previous call.
			return nil, errKilled
		}
		first := t.begin(info)
		defer t.attempt.Store(nil)
		if first && e.happened(happening{kind: activityStarted, name: name, instance: info.Instance}) {
			// RunUntil waits for this start: the activity's code has not started when the test
			// continues.
			if err := t.pause(ctx, 0); err != nil {
				return nil, err
			}
		}
		// A panic, and runtime.Goexit, are failed attempts as in production.
		startedAt, away := e.opts.now(), t.away
		result, err := e.call(ctx, name, input, own)
		e.worked(name, e.opts.now().Sub(startedAt)-(t.away-away))
		if err == nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			// The attempt timed out: its result is ignored.
			return nil, context.Cause(ctx)
		}
		return result, err
	}
}

// worked records how long the code of an attempt has run in real time.
func (e *Env) worked(name string, d time.Duration) {
	if e.slow == nil {
		e.slow = map[string]time.Duration{}
	}
	e.slow[name] += d
}

// slowText names the activity whose code took most of the real time, if that is significant.
func (e *Env) slowText() string {
	slowest := ""
	for name, d := range e.slow {
		if slowest == "" || d > e.slow[slowest] {
			slowest = name
		}
	}
	d := e.slow[slowest]
	if d < 10*time.Millisecond {
		return ""
	}
	return fmt.Sprintf(", of which activity %q took %s (it can wait in virtual time with turnstiletest.Sleep)", slowest, d.Round(time.Millisecond))
}

func (e *Env) call(ctx context.Context, name string, input []byte, own activities.Func) ([]byte, error) {
	m, isMocked := e.mocked[name]
	if !isMocked {
		return own(ctx, input)
	}
	result, err := m.call(ctx, input)
	if _, none := errors.AsType[*noAnswerError](err); !none {
		return result, err
	}
	if own != nil {
		return own(ctx, input)
	}
	e.fail("no mock answers activity %q, and the application does not implement it: its input is %s%v", name, input, err)
	return nil, err
}

// fail records a failure. The test fails when its own goroutine continues.
func (e *Env) fail(format string, args ...any) {
	if e.failure == "" {
		e.failure = fmt.Sprintf(format, args...)
	}
}

// checkImplemented fails the test for an activity without an implementation or a mock. In
// production the attempt would wait for a deployment; in a test there is nothing to wait for.
func (e *Env) checkImplemented(batch []queue.Message) {
	e.t.Helper()
	for _, m := range batch {
		item, err := wire.Parse([]byte(m.Body))
		if err != nil || item.Kind != wire.ActivityExecute {
			continue
		}
		_, err = e.app.Activities().Lookup(item.Name)
		if _, isMocked := e.mocked[item.Name]; err != nil && !isMocked {
			e.t.Fatalf("turnstiletest: %s", e.notImplemented(item.Name, item.Target()))
		}
	}
}

func (e *Env) notImplemented(name, instance string) string {
	names := e.app.Activities().Names()
	for mocked := range e.mocked {
		names = append(names, mocked)
	}
	slices.Sort(names)
	return fmt.Sprintf("instance %q calls activity %q, which has no mock and which the application does not implement: add turnstiletest.On(env, …) for it, or its Implement to the application%s", instance, name, near.Hint(name, names))
}

// observer receives the metrics of the host.
type observer struct {
	*embeddedmetrics.Metrics
	env *Env
}

// Count implements host.Observer.
func (o observer) Count(c host.Counter, reason string, n int) {
	o.Metrics.Count(c, reason, n)
	switch {
	case c == host.CountStuck, c == host.CountCorrupt:
		o.env.suspect = true
	case c == host.CountPermits && (reason == "waits" || reason == "rate waits"):
		o.env.waited = true
	}
}

// hasRead counts events that an orchestrator has read.
func (e *Env) hasRead(instance string, events int) {
	e.read += events
	e.lastRead = instance
}

// recorded records the happening of a committed event, whose payload may be encoded.
func (e *Env) recorded(instance string, ev *history.Event) {
	h := happening{name: ev.Name, label: ev.Label, instance: instance}
	switch ev.Kind {
	case history.TimerCreated:
		h.kind, h.duration = timerCreated, time.Duration(ev.DurationMS)*time.Millisecond
	case history.ExternalSubscribed:
		h.kind = eventAwaited
	case history.OrchestrationStarted:
		h.kind = orchestrationStarted
	case history.ActivityScheduled:
		if e.worker != nil && !ev.Inline {
			if _, err := e.worker.Activities.Lookup(ev.Name); err != nil {
				// In production the attempt would wait for a deployment.
				e.fail("%s", e.notImplemented(ev.Name, instance))
			}
		}
		return
	case history.ActivityFailed:
		if ev.Failure != nil && ev.Failure.Kind == history.FailureNotRegistered {
			e.fail("%s", e.notImplemented(ev.Failure.Source, instance))
		}
		return
	default:
		return
	}
	e.happened(h)
}
