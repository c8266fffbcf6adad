package dynamo_test

import (
	"context"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queues"
	"github.com/turnstile-go/turnstile/internal/timer"
	memorytimer "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// stack is host and client over tables, with queues and timers in memory.
type stack struct {
	t      *testing.T
	clock  *clock.Virtual
	queues *queues.Queues
	client *client.Client
	// bodies of the messages that it handled.
	bodies []string
	handle func(platform.Source) func(context.Context, []platform.Delivery) []string
}

// newStack returns one whose queues are empty; inline are the activities that run
// in turns.
func newStack(t *testing.T, l *local, app *turnstile.App, codecs *codec.Set, inline ...string) *stack {
	t.Helper()
	s := &stack{t: t, clock: clock.NewVirtual(time.Now())}
	var err error
	if s.queues, err = queues.New(s.clock, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.queues.Close)
	timers, err := memorytimer.New(memorytimer.Options{Clock: s.clock, Deliver: func(ctx context.Context, due timer.Schedule) error {
		return s.queues.Orchestrator.Send(ctx, queue.Outgoing{Body: due.Body, Group: due.Group, DedupID: due.Name})
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(timers.Close)
	asIs := func(q *memoryqueue.Queue, _ bool) queue.Queue { return q }
	stops := dynamo.NewActivities(l.client, l.config)
	var inTurns []activities.Activity
	for _, name := range inline {
		inTurns = append(inTurns, lookup(t, app, name))
	}
	registry, err := activities.NewRegistry(inTurns...)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := keyring.New(keyring.Config{Keys: dynamo.NewKeys(l.client, l.config)})
	if err != nil {
		t.Fatal(err)
	}
	turns, err := orchestrator.New(orchestrator.Config{
		Orchestrations: app.Orchestrations(),
		Inline:         registry,
		Services:       orchestrator.Services{Store: l.Store, Stops: stops, Queues: s.queues.ForHost(asIs), Timer: timers},
		Codecs:         codecs,
		Keys:           keys,
		Environment:    platform.Environment{Clock: s.clock},
		Settings:       host.Settings{Parallelism: 1, Dispatch: host.DispatchSettings{Parallelism: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(turns.Close)
	worker, err := worker.New(worker.Config{Activities: app.Activities(), Stops: stops, Queues: s.queues.ForHost(asIs), Codecs: codecs, Environment: platform.Environment{Clock: s.clock}})
	if err != nil {
		t.Fatal(err)
	}
	s.handle = func(from platform.Source) func(context.Context, []platform.Delivery) []string {
		if from == platform.SourceActivity {
			return worker.Handle
		}
		return turns.Handle
	}
	if s.client, err = client.New(client.Config{Store: l.Store, Queue: s.queues.Orchestrator, Codecs: codecs, Clock: s.clock}); err != nil {
		t.Fatal(err)
	}
	return s
}

// settle handles what is in the queues until they are empty.
func (s *stack) settle() {
	s.t.Helper()
	for worked := true; worked; {
		worked = false
		for _, from := range s.queues.Sources() {
			batch, err := from.Queue.Receive(s.t.Context(), queue.MaxReceive, 0)
			if err != nil {
				s.t.Fatal(err)
			}
			if len(batch) == 0 {
				continue
			}
			worked = true
			s.take(batch, from)
		}
	}
}

// take handles messages of a queue.
func (s *stack) take(batch []queue.Message, from queues.Source) {
	s.t.Helper()
	deliveries := make([]platform.Delivery, len(batch))
	for i, m := range batch {
		deliveries[i] = platform.Delivery{Message: m, Source: from.Is}
		s.bodies = append(s.bodies, m.Body)
	}
	if err := queue.Settle(s.t.Context(), from.Queue, batch, s.handle(from.Is)(s.t.Context(), deliveries)); err != nil {
		s.t.Fatal(err)
	}
}

func lookup(t *testing.T, app *turnstile.App, name string) activities.Activity {
	t.Helper()
	a, err := app.Activities().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
