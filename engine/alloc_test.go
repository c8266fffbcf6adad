package engine_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// These tests are not parallel: they count what the process allocates.

// chain returns code that calls one activity after another.
func chain(steps int) engine.Func {
	return func(c *engine.Context, _ []byte) ([]byte, error) {
		for range steps {
			if _, err := c.Await(c.Activity(engine.ActivityCall{Name: "Step", Input: payload200})); err != nil {
				return nil, err
			}
		}
		return []byte("1"), nil
	}
}

var payload200 = []byte(fmt.Sprintf(`{"data":"%0190d"}`, 7))

// chainHistory returns the history of a chain up to the open step.
func chainHistory(steps int) []history.Event {
	events := make([]history.Event, 0, 2*steps+1)
	add := func(e history.Event) {
		e.EventID, e.AtMS = int64(len(events))+1, 5
		events = append(events, e)
	}
	add(history.Event{Kind: history.OrchestrationStarted, Name: "Test", Payload: []byte("0"), Start: &history.Start{ExecutionID: 1}})
	for i := range steps {
		add(history.Event{Kind: history.ActivityScheduled, Name: "Step", Payload: payload200})
		if i+1 < steps {
			add(history.Event{Kind: history.ActivityCompleted, SourceEventID: int64(len(events)), Payload: payload200})
		}
	}
	return events
}

func registryOf(t testing.TB, fn engine.Func) *engine.Registry {
	t.Helper()
	reg, err := engine.NewRegistry(engine.Orchestration{Name: "Test", Func: fn, Source: "here"})
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

func replayed(t testing.TB, reg *engine.Registry, events []history.Event) *engine.Execution {
	x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
	if err := x.Feed(events, false); err != nil {
		t.Fatal(err)
	}
	turn, err := x.Run(engine.Input{NowMS: 6})
	if err != nil || turn.Stuck != nil || len(turn.Events) > 0 {
		t.Fatal(err, turn.Stuck, len(turn.Events))
	}
	return x
}

func TestReplayCostsAtMostTwoAllocationsAnEvent(t *testing.T) {
	const steps = 1000
	reg := registryOf(t, chain(steps+1))
	events := chainHistory(steps)
	allocs := testing.AllocsPerRun(20, func() { replayed(t, reg, events).Close() })
	if perEvent := allocs / float64(len(events)); perEvent > 2 {
		t.Errorf("%.2f allocations an event, want at most 2", perEvent)
	} else {
		t.Logf("%.2f allocations an event", perEvent)
	}
}

func TestWarmTurnDoesNotGrowWithTheHistory(t *testing.T) {
	reg := registryOf(t, chain(1_000_000))
	cost := func(steps int) (allocs float64, bytes uint64) {
		x := replayed(t, reg, chainHistory(steps))
		defer x.Close()
		next := x.LastEventID()
		turn := func() {
			turn, err := x.Run(engine.Input{NowMS: 7, Arrivals: []engine.Arrival{
				{Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: next, Payload: payload200}, Proven: true}}})
			if err != nil || len(turn.Events) != 2 {
				t.Fatal(err, len(turn.Events))
			}
			next += 2
		}
		// The slices have already been doubled.
		for range 200 {
			turn()
		}
		const turns = 50
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range turns {
			turn()
		}
		runtime.ReadMemStats(&after)
		return float64(after.Mallocs-before.Mallocs) / turns, (after.TotalAlloc - before.TotalAlloc) / turns
	}
	shortAllocs, shortBytes := cost(100)
	longAllocs, longBytes := cost(20_000)
	t.Logf("a warm turn: %.1f allocations, %d bytes after 100 steps; %.1f, %d after 20,000", shortAllocs, shortBytes, longAllocs, longBytes)
	if longAllocs > shortAllocs+2 || longAllocs > 20 {
		t.Errorf("a warm turn makes %.1f allocations after 100 steps, %.1f after 20,000", shortAllocs, longAllocs)
	}
	if longBytes > 4*shortBytes+4096 {
		t.Errorf("a warm turn takes %d bytes after 100 steps, %d after 20,000", shortBytes, longBytes)
	}
}

func TestReplayOf50000EventsGrowsByTheHistoryAlone(t *testing.T) {
	perEvent := func(events int) (allocs, bytes float64, held int64) {
		reg := registryOf(t, chain(events))
		list := chainHistory(events / 2)
		var before, after, kept runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := replayed(t, reg, list)
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&kept)
		n := float64(len(list))
		allocs, bytes = float64(after.Mallocs-before.Mallocs)/n, float64(after.TotalAlloc-before.TotalAlloc)/n
		held = int64(kept.HeapAlloc) - int64(before.HeapAlloc)
		x.Close()
		runtime.KeepAlive(list)
		return allocs, bytes, held
	}
	a1, b1, _ := perEvent(5_000)
	a2, b2, held := perEvent(50_000)
	t.Logf("an event costs %.2f allocations and %.0f bytes of 5,000, %.2f and %.0f of 50,000; the execution holds %d KB besides the history", a1, b1, a2, b2, held>>10)
	if a2 > 2 || a2 > a1*1.1 {
		t.Errorf("%.2f allocations an event of 50,000, %.2f of 5,000: want at most 2, and no growth", a2, a1)
	}
	if b2 > b1*1.3 || b2 > 1000 {
		t.Errorf("%.0f bytes an event of 50,000, %.0f of 5,000: want no growth", b2, b1)
	}
	if held > 50_000*500 {
		t.Errorf("the execution holds %d bytes besides a history of 50,000 events", held)
	}
}

// A loop that runs forever within one execution must not retain finished items: waits with
// timeouts, scopes, branches, kept events.
func TestAnExecutionRetainsOnlyOpenOperations(t *testing.T) {
	loops := map[string]func(c *engine.Context) error{
		"races with losers": func(c *engine.Context) error {
			_, err := c.Select(false, c.Timer(5), c.ExternalEvent("never"), c.ExternalEvent("tick"))
			return err
		},
		"branches": func(c *engine.Context) error {
			_, err := c.Await(c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(c.ExternalEvent("tick")) }))
			return err
		},
		"cancelled scopes": func(c *engine.Context) error {
			inner, cancel := c.WithCancel()
			never := inner.Go(func(c *engine.Context) ([]byte, error) { return c.Await(c.ExternalEvent("never")) })
			_, err := c.Await(c.ExternalEvent("tick"))
			cancel("over")
			_, _ = c.Await(never)
			return err
		},
	}
	for name, loop := range loops {
		t.Run(name, func(t *testing.T) {
			reg := registryOf(t, func(c *engine.Context, _ []byte) ([]byte, error) {
				for {
					if err := loop(c); err != nil {
						return nil, err
					}
				}
			})
			x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
			defer x.Close()
			var m runtime.MemStats
			// The memory for an event, after the slices have doubled for the last time.
			rounds := func(n int) float64 {
				for range n {
					if _, err := x.Run(engine.Input{NowMS: 6, Arrivals: []engine.Arrival{{Event: history.Event{Kind: history.ExternalEvent, Name: "tick"}}}}); err != nil {
						t.Fatal(err)
					}
				}
				runtime.GC()
				runtime.ReadMemStats(&m)
				return float64(m.HeapAlloc)
			}
			if turn, err := x.Run(engine.Input{Arrivals: []engine.Arrival{start("0")}}); err != nil || turn.Stuck != nil {
				t.Fatal(err, turn.Stuck)
			}
			rounds(10)
			before, eventsBefore := rounds(0), x.LastEventID()
			after := rounds(5000)
			perEvent := (after - before) / float64(x.LastEventID()-eventsBefore)
			t.Logf("%.0f bytes held for an event", perEvent)
			if perEvent > 1500 {
				t.Errorf("an event holds %.0f bytes, want the event and little more", perEvent)
			}
			if _, coroutines := x.Size(); coroutines > 2 {
				t.Errorf("%d coroutines are held", coroutines)
			}
		})
	}
}

func TestBranchesThatHaveReturnedAreForgotten(t *testing.T) {
	grown := func(n int) int64 {
		reg := registryOf(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			for range n {
				if _, err := c.Await(c.Go(func(*engine.Context) ([]byte, error) { return nil, nil })); err != nil {
					return nil, err
				}
				_, cancel := c.WithCancel()
				cancel("over")
				c.Shield().Release()
				inner, _ := c.WithCancel()
				inner.Release()
			}
			return c.Await(c.ExternalEvent("never"))
		})
		x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
		defer x.Close()
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if turn, err := x.Run(engine.Input{Arrivals: []engine.Arrival{start("0")}}); err != nil || turn.Stuck != nil {
			t.Fatal(err, turn.Stuck)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		return int64(after.HeapAlloc) - int64(before.HeapAlloc)
	}
	if few, many := grown(10), grown(20_000); many > few+20_000*16 {
		t.Errorf("%d bytes are held after 10 branches, %d after 20,000", few, many)
	}
}

// The cost of a turn does not grow with the history: the first turns after the history was read are
// as cheap as later ones, and no turn copies the list to grow it.
func TestNoWarmTurnCopiesTheHistory(t *testing.T) {
	const most = 160 << 10 // a piece of each list
	reg := registryOf(t, chain(1_000_000))
	for _, events := range []int{10_000, 50_000} {
		for _, how := range []string{"fed at once", "fed turn by turn"} {
			list := chainHistory(events / 2)
			x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: reg})
			if how == "fed at once" {
				if err := x.Feed(list, false); err != nil {
					t.Fatal(err)
				}
			} else {
				x.Reserve(len(list))
				for i := range list {
					if err := x.Feed(list[i:i+1], false); err != nil {
						t.Fatal(err)
					}
				}
			}
			if _, err := x.Run(engine.Input{NowMS: 6}); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			for n := range 1000 {
				next := x.LastEventID()
				runtime.ReadMemStats(&before)
				turn, err := x.Run(engine.Input{NowMS: 7, Arrivals: []engine.Arrival{
					{Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: next, Payload: payload200}, Proven: true}}})
				runtime.ReadMemStats(&after)
				if err != nil || len(turn.Events) != 2 {
					t.Fatal(err, len(turn.Events))
				}
				if took := after.TotalAlloc - before.TotalAlloc; took > most {
					t.Errorf("%d events, %s: warm turn %d takes %d bytes, want at most %d", events, how, n+1, took, most)
				}
			}
			x.Close()
		}
	}
}
