package scale

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/tools/bench/stack"
)

// arrival is how instances come: so many at once, so long after those before.
type arrival struct {
	name string
	// batch is how many messages an invocation has at most.
	batch   int
	at      int
	between time.Duration
}

// processes are those of the orchestrator function, which take its invocations in
// turn: most turns meet a process that has not seen the instance, or has seen less
// of it than there is.
const processes = 16

// arrivals: on AWS it is somewhere between the two. The time between leaves the one
// goroutine that drives the stack as much time again as it needs, for what waits longer
// than ten seconds costs a read.
var arrivals = []arrival{
	{name: "each message alone", batch: 1, at: 1, between: 500 * time.Millisecond},
	{name: "ten at a time", batch: 10, at: 50, between: 25 * time.Second},
}

// count is what a sample took.
type count struct {
	instances, turns, attempts int
	bill                       bill.Bill
	// schedules made, and invocations of the orchestrator.
	schedules float64
	batches   int
	// orchestrating and attempting are the seconds of the two functions.
	orchestrating, attempting float64
}

func (c count) per(i bill.Item) float64 { return c.bill.Of(i) / float64(c.instances) }

// due is something that is done from outside, at a time.
type due struct {
	at time.Time
	do func()
}

// sample runs n instances of the mix to their ends and returns what they took.
func sample(t *testing.T, a arrival, n int) (c count) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var attempts atomic.Int64
		application := app(&attempts)
		s := stack.New(t, stack.Setting{Processes: processes, Batch: a.batch}, application.Orchestrations(), application.Activities())
		kinds := mix()
		startedAt := time.Now()
		var plan []due
		for i := range n {
			k, id := nth(kinds, i), fmt.Sprintf("instance-%06d", i)
			at := startedAt.Add(time.Duration(i/a.at) * a.between)
			plan = append(plan, due{at, func() {
				o := turnstile.NewOrchestration[document, document](k.name)
				if _, err := client.Start(t.Context(), s.Client, o, written(id, 0), client.WithInstanceID(id)); err != nil {
					t.Fatal(err)
				}
			}})
			if k.raise > 0 {
				plan = append(plan, due{at.Add(k.raise), func() {
					if err := client.Raise(t.Context(), s.Client, went, id, written(id, 1)); err != nil {
						t.Fatal(err)
					}
				}})
			}
		}
		slices.SortStableFunc(plan, func(a, b due) int { return a.at.Compare(b.at) })
		for _, d := range plan {
			for time.Now().Before(d.at) {
				if !s.Step() {
					time.Sleep(min(time.Until(d.at), time.Second))
				}
			}
			d.do()
		}
		s.Run(2 * time.Hour)
		for i := range n {
			id := fmt.Sprintf("instance-%06d", i)
			if r, err := s.Describe(id); err != nil || r.Status != store.StatusCompleted {
				t.Fatalf("%s is %s (%v, %v)", id, r.Status, r.Problem, err)
			}
		}
		c = count{instances: n, turns: s.Turns(), attempts: int(attempts.Load()), bill: s.Bill(), batches: len(s.Batches)}
		c.schedules = c.bill.Of(bill.Schedules)
		for _, d := range s.Batches {
			c.orchestrating += d.Seconds()
		}
		for _, d := range s.Attempts {
			c.attempting += d.Seconds()
		}
	})
	return c
}

// chain runs an instance of so many steps and returns how long it took, and how long
// of that the worker was at work.
func chain(t *testing.T, setting stack.Setting, steps int, inline bool) (took, attempts time.Duration) {
	t.Helper()
	long := turnstile.NewOrchestration[document, document]("Long")
	application := turnstile.NewApp(
		step.Implement(func(_ context.Context, in document) (document, error) { return written(in.Key, 0), nil }),
		quick.Implement(func(_ context.Context, in document) (document, error) { return written(in.Key, 0), nil }),
		long.Implement(func(ctx turnstile.Context, in document) (d document, err error) {
			call := step.Call
			if inline {
				call = quick.Inline
			}
			d = in
			for range steps {
				if d, err = call(ctx, d); err != nil {
					return d, err
				}
			}
			return d, nil
		}))
	synctest.Test(t, func(t *testing.T) {
		s := stack.New(t, setting, application.Orchestrations(), application.Activities())
		startedAt := time.Now()
		run, err := client.Start(t.Context(), s.Client, long, written("long", 0), client.WithInstanceID("long"))
		if err != nil {
			t.Fatal(err)
		}
		for s.Step() {
		}
		took = time.Since(startedAt)
		if _, err := run.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, a := range s.Attempts {
			attempts += a
		}
	})
	return took, attempts
}
