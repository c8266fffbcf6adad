package otel_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queues"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/timer"
	memorytimer "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/otel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// epoch is when the world starts.
var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// process is a process with an exporter of its own.
type process struct {
	tel     *otel.Telemetry
	spans   *tracetest.InMemoryExporter
	metrics *metric.ManualReader
	name    string
	// handle is the Handle of an orchestrator or a worker; nil for a client.
	handle func(context.Context, []platform.Delivery) []string
}

// world runs the parts in memory, with several processes of each kind. No process keeps instances
// between its batches, so every turn is a replay.
type world struct {
	*testing.T
	clock         *clock.Virtual
	queues        *queues.Queues
	client        *client.Client
	orchestrators []*process
	workers       []*process
	all           []*process
	batches       int
	// lost reports whether the response of an orchestrator's batch is lost, so that its messages
	// are redelivered.
	lost func(batch int) bool
}

func newProcess(t *testing.T, name string) *process {
	t.Helper()
	p := &process{spans: tracetest.NewInMemoryExporter(), metrics: metric.NewManualReader(), name: name}
	var err error
	p.tel, err = otel.New(otel.Config{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithIDGenerator(otel.IDGenerator()), sdktrace.WithSyncer(p.spans)),
		MeterProvider:  metric.NewMeterProvider(metric.WithReader(p.metrics)),
		Environment:    "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newWorld starts two processes of each kind; parts is called once for each.
func newWorld(t *testing.T, parts func() []turnstile.Component) *world {
	t.Helper()
	w := &world{T: t, clock: clock.NewVirtual(epoch)}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	store, stops, keys := memory.New(), memory.NewActivities(w.clock.Now), &keyring.Memory{}
	var err error
	w.queues, err = queues.New(w.clock, nil)
	must(err)
	t.Cleanup(w.queues.Close)
	timers, err := memorytimer.New(memorytimer.Options{Clock: w.clock, Deliver: func(ctx context.Context, s timer.Schedule) error {
		return w.queues.Orchestrator.Send(ctx, queue.Outgoing{Body: s.Body, Group: s.Group})
	}})
	must(err)
	t.Cleanup(timers.Close)
	forHost := w.queues.ForHost(func(q *memoryqueue.Queue, _ bool) queue.Queue { return q })
	settings := host.Settings{Parallelism: 1, Dispatch: host.DispatchSettings{Parallelism: 1}, Turn: host.TurnSettings{BlockLimit: -1}, Cache: host.CacheSettings{Instances: -1}}
	for i := range 2 {
		p := newProcess(t, fmt.Sprint("orchestrator ", i))
		app := turnstile.NewApp(append(parts(), p.tel.Interceptor())...)
		must(app.Err())
		ring, err := keyring.New(keyring.Config{Keys: keys, Random: rand.Reader, Now: w.clock.Now})
		must(err)
		o, err := orchestrator.New(orchestrator.Config{
			Orchestrations: app.Orchestrations(),
			Inline:         app.Activities(),
			Services:       orchestrator.Services{Store: store, Stops: stops, Queues: forHost, Timer: timers},
			Keys:           ring,
			Settings:       settings,
			Environment:    platform.Environment{Clock: w.clock, Observer: p.tel, RequestID: func(context.Context) string { return fmt.Sprintf("request-%d", w.batches) }},
			Propagator:     p.tel.Propagate,
		})
		must(err)
		t.Cleanup(o.Close)
		p.handle = o.Handle
		w.orchestrators = append(w.orchestrators, p)

		p = newProcess(t, fmt.Sprint("worker ", i))
		app = turnstile.NewApp(append(parts(), p.tel.Interceptor())...)
		worker, err := worker.New(worker.Config{Activities: app.Activities(), Stops: stops, Queues: forHost, Settings: settings, Environment: platform.Environment{Clock: w.clock, Observer: p.tel}})
		must(err)
		p.handle = worker.Handle
		w.workers = append(w.workers, p)
	}
	outside := newProcess(t, "client")
	c, err := client.New(client.Config{Store: store, Activities: stops, Queue: w.queues.Orchestrator, Clock: w.clock})
	must(err)
	w.client = c.WithInterceptors(outside.tel.Interceptor())
	w.all = append(append(append(w.all, outside), w.orchestrators...), w.workers...)
	return w
}

// run handles the queued messages, each batch by the next process in turn, until the passing of
// time changes nothing more.
func (w *world) run() {
	w.Helper()
	for range 1000 {
		if w.step() {
			continue
		}
		next, any := w.clock.Next()
		if !any || next.Sub(epoch) > 24*time.Hour {
			return
		}
		w.clock.AdvanceTo(next)
	}
	w.Fatal("it does not come to an end")
}

func (w *world) step() bool {
	for _, s := range w.queues.Sources() {
		batch, err := s.Queue.Receive(w.Context(), 10, 0)
		if err != nil {
			w.Fatal(err)
		}
		if len(batch) == 0 {
			continue
		}
		w.batches++
		of := w.orchestrators
		if s.Is == platform.SourceActivity {
			of = w.workers
		}
		deliveries := make([]platform.Delivery, len(batch))
		for i, m := range batch {
			deliveries[i] = platform.Delivery{Message: m, Source: s.Is}
		}
		failed := map[string]bool{}
		for _, id := range of[w.batches%len(of)].handle(w.Context(), deliveries) {
			failed[id] = true
		}
		if s.Is == platform.SourceOrchestrator && w.lost != nil && w.lost(w.batches) {
			return true
		}
		for _, m := range batch {
			if !failed[m.ID] {
				if err := s.Queue.Delete(w.Context(), m); err != nil {
					w.Fatal(err)
				}
			}
		}
		return true
	}
	return false
}
