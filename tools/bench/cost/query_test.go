package cost

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/bill"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

var (
	long  = turnstile.NewOrchestration[string, string]("Long")
	step  = turnstile.NewActivity[string, string]("Step")
	steps = turnstile.NewState[int]("steps")
	done  = turnstile.NewQuery[int, int]("done")
)

func longApp() *turnstile.App {
	return turnstile.NewApp(long.Implement(func(ctx turnstile.Context, in string) (string, error) {
		n := 0
		done.Handle(ctx, func(int) (int, error) { return n, nil })
		for {
			out, err := step.Call(ctx, in)
			if err != nil {
				return "", err
			}
			in = out
			n++
		}
	}))
}

// asked is an instance of n events, and what reading it takes on DynamoDB.
type asked struct {
	store    store.Store
	requests int
	units    float64
}

// asks returns a running instance "long" of a chain of steps of 200 bytes, with a state.
func asks(tb testing.TB, n int) *asked {
	tb.Helper()
	a := &asked{}
	a.store = metering.New(storememory.New(), dynamo.Config{}, func(u dynamo.Usage) { a.requests++; a.units += u.ReadUnits })
	note := []byte(`"` + strings.Repeat("n", 198) + `"`)
	at, scheduled := time.UnixMilli(1_700_000_000_000).UTC(), history.Event{Kind: history.ActivityScheduled, Name: "Step", Payload: note}
	states := history.EncodeStates([]history.State{{Name: "steps", Value: []byte("1"), ExecutionID: 1, EventID: int64(n), AtMS: at.UnixMilli()}})
	record := store.Record{Instance: "long", Name: "Long", ExecutionID: 1, FirstExecution: 1, StartID: "s", Status: store.StatusRunning, CreatedAt: at, UpdatedAt: at, States: states}
	for id := int64(1); id < int64(n); id += 2 {
		first := history.Event{Kind: history.ActivityCompleted, SourceEventID: id - 1, Payload: note}
		if id == 1 {
			first = history.Event{Kind: history.OrchestrationStarted, Name: "Long", Payload: note, Start: &history.Start{ExecutionID: 1, StartID: "s"}}
		}
		first.EventID, first.AtMS = id, at.UnixMilli()
		next := scheduled
		next.EventID, next.AtMS = id+1, at.UnixMilli()
		c := store.Commit{Turns: []store.Turn{{Instance: "long", ExecutionID: 1, Token: fmt.Sprint(id), Messaged: true, Events: []history.Event{first, next}}}}
		if id == 1 {
			c.Record = &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &record}
		}
		if err := a.store.Commit(context.Background(), c); err != nil {
			tb.Fatal(err)
		}
	}
	a.requests, a.units = 0, 0
	return a
}

func (a *asked) client(tb testing.TB, app *turnstile.App) *client.Client {
	tb.Helper()
	q, err := queuememory.New(queuememory.Options{FIFO: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(q.Close)
	c, err := client.New(client.Config{Store: a.store, Queue: q, App: app})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func (a *asked) ask(tb testing.TB, c *client.Client, n int) {
	tb.Helper()
	if got, err := client.Query(tb.Context(), c, done, "long", 0); err != nil || got.Value != n/2-1 {
		tb.Fatalf("%+v, %v", got, err)
	}
}

var lengths = []int{10, 1_000, 10_000}

// A warm process reads as little from a long history as from a short one.
func TestCostOfAQuery(t *testing.T) {
	for i, cold := range []struct {
		requests int
		units    float64
	}{{2, 2}, {2, 85}, {5, 839}} {
		a := asks(t, lengths[i])
		app := longApp()
		c := a.client(t, app)
		for _, want := range []struct {
			what     string
			requests int
			units    float64
		}{{"cold", cold.requests, cold.units}, {"warm", 2, 2}} {
			a.requests, a.units = 0, 0
			a.ask(t, c, lengths[i])
			t.Logf("a query of %5d events, %s: %d requests, %4.0f read units, $%.3f a million", lengths[i], want.what, a.requests, a.units, a.units*bill.ReadUnits.Price())
			if a.requests != want.requests || a.units != want.units {
				t.Errorf("%d events, %s: %d requests, %g units; want %d, %g", lengths[i], want.what, a.requests, a.units, want.requests, want.units)
			}
		}
		a.requests, a.units = 0, 0
		if v, err := client.Get(t.Context(), c, steps, "long"); err != nil || v.Value != 1 || a.requests != 1 || a.units != 1 {
			t.Errorf("a state: %+v, %v: %d requests, %g units", v, err, a.requests, a.units)
		}
	}
}

// times reports the median and the 99th percentile of what a benchmark has timed.
type times []time.Duration

func (t *times) measure(f func()) {
	begin := time.Now()
	f()
	*t = append(*t, time.Since(begin))
}

func (t times) report(b *testing.B) {
	slices.Sort(t)
	b.ReportMetric(float64(t[len(t)/2].Nanoseconds())/1e3, "µs-p50")
	b.ReportMetric(float64(t[len(t)*99/100].Nanoseconds())/1e3, "µs-p99")
}

// BenchmarkQuery asks one instance in memory: a warm process, and one that has read nothing before.
func BenchmarkQuery(b *testing.B) {
	for _, n := range lengths {
		a := asks(b, n)
		app := longApp()
		warm := a.client(b, app)
		a.ask(b, warm, n)
		for _, how := range []string{"cold", "warm"} {
			b.Run(fmt.Sprintf("%d/%s", n, how), func(b *testing.B) {
				var took times
				for b.Loop() {
					c := warm
					if how == "cold" {
						c = a.client(b, app)
					}
					took.measure(func() { a.ask(b, c, n) })
				}
				took.report(b)
			})
		}
	}
}

// BenchmarkGet reads a state in memory.
func BenchmarkGet(b *testing.B) {
	a := asks(b, 10)
	c := a.client(b, longApp())
	var took times
	for b.Loop() {
		took.measure(func() {
			if _, err := client.Get(b.Context(), c, steps, "long"); err != nil {
				b.Fatal(err)
			}
		})
	}
	took.report(b)
}

// BenchmarkWait raises an event for which the code sets a state, and waits for the value, in one process.
func BenchmarkWait(b *testing.B) {
	counter, add := turnstile.NewOrchestration[int, int]("Counter"), turnstile.NewEvent[int]("add")
	r, err := embedded.New(turnstile.NewApp(counter.Implement(func(ctx turnstile.Context, sum int) (int, error) {
		for range 1000 {
			n, err := add.Wait(ctx)
			if err != nil {
				return 0, err
			}
			if err := steps.Set(ctx, sum+n); err != nil {
				return 0, err
			}
			sum += n
		}
		return 0, counter.ContinueAsNew(ctx, sum)
	})))
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}()
	c := r.Client()
	run, err := client.Start(b.Context(), c, counter, 0)
	if err != nil {
		b.Fatal(err)
	}
	var took times
	var seen client.StateNumber
	for b.Loop() {
		took.measure(func() {
			if err := client.Raise(b.Context(), c, add, run.Instance, 1); err != nil {
				b.Fatal(err)
			}
			v, err := client.WaitState(b.Context(), c, steps, run.Instance, seen)
			if err != nil {
				b.Fatal(err)
			}
			seen = v.Number
		})
	}
	took.report(b)
}
