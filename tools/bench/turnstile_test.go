package bench

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

const (
	steps  = 1000
	rounds = 100
)

var (
	chain  = turnstile.NewOrchestration[payload, int]("Chain")
	fanOut = turnstile.NewOrchestration[payload, int]("FanOut")
	races  = turnstile.NewOrchestration[payload, int]("Races")

	richChain  = turnstile.NewOrchestration[rich, int]("Chain")
	richFanOut = turnstile.NewOrchestration[rich, int]("FanOut")
	richRaces  = turnstile.NewOrchestration[rich, int]("Races")
)

// The activity takes and returns what the shape's payloads are.
var (
	step     = turnstile.NewActivity[payload, payload]("Step")
	richStep = turnstile.NewActivity[rich, rich]("Step")
)

func typedChain[P counted](step turnstile.Activity[P, P]) func(turnstile.Context, P) (int, error) {
	return func(ctx turnstile.Context, in P) (int, error) {
		for range steps {
			var err error
			if in, err = step.Call(ctx, in); err != nil {
				return 0, err
			}
		}
		return in.count(), nil
	}
}

func typedFanOut[P counted](step turnstile.Activity[P, P]) func(turnstile.Context, P) (int, error) {
	return func(ctx turnstile.Context, in P) (int, error) {
		fs := make([]turnstile.Future[P], steps)
		for i := range fs {
			fs[i] = step.Start(ctx, in)
		}
		results, err := turnstile.Join(ctx, fs...)
		return len(results), err
	}
}

func typedRaces[P counted](step turnstile.Activity[P, P]) func(turnstile.Context, P) (int, error) {
	return func(ctx turnstile.Context, in P) (int, error) {
		for range rounds {
			work, timeout := step.Start(ctx, in), turnstile.After(ctx, time.Minute)
			if _, err := turnstile.Select(ctx, work, timeout); err != nil {
				return 0, err
			}
			out, err := work.Await(ctx)
			if err != nil {
				return 0, err
			}
			in = out
		}
		return in.count(), nil
	}
}

// raw is the same code on the engine's untyped surface.
func rawChain(c *engine.Context, in []byte) ([]byte, error) {
	for range steps {
		v, err := c.Await(c.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		if err != nil {
			return nil, err
		}
		in = v
	}
	return []byte("1"), nil
}

func rawFanOut(c *engine.Context, in []byte) ([]byte, error) {
	fs := make([]*engine.Future, steps)
	for i := range fs {
		fs[i] = c.Activity(engine.ActivityCall{Name: "Step", Input: in})
	}
	if _, err := c.Join(fs...); err != nil {
		return nil, err
	}
	return []byte("1"), nil
}

func rawRaces(c *engine.Context, in []byte) ([]byte, error) {
	for range rounds {
		work, timeout := c.Activity(engine.ActivityCall{Name: "Step", Input: in}), c.Timer(time.Minute)
		if _, err := c.Select(false, work, timeout); err != nil {
			return nil, err
		}
		v, err := c.Await(work)
		if err != nil {
			return nil, err
		}
		in = v
	}
	return []byte("1"), nil
}

// shape is an orchestration with payloads of a kind.
type shape struct {
	name, orchestration string
	raw                 engine.Func
	part                turnstile.Component
	sample              func(i int) []byte
}

var shapes = []shape{
	{"Chain", "Chain", rawChain, chain.Implement(typedChain(step)), encodeSample},
	{"FanOut", "FanOut", rawFanOut, fanOut.Implement(typedFanOut(step)), encodeSample},
	{"Races", "Races", rawRaces, races.Implement(typedRaces(step)), encodeSample},
	{"Chain/rich", "Chain", rawChain, richChain.Implement(typedChain(richStep)), encodeRich},
	{"FanOut/rich", "FanOut", rawFanOut, richFanOut.Implement(typedFanOut(richStep)), encodeRich},
	{"Races/rich", "Races", rawRaces, richRaces.Implement(typedRaces(richStep)), encodeRich},
}

func encodeRich(i int) []byte { return encoded(richSample(i)) }

// record runs an orchestration live, an answer for each open activity after
// each turn, and returns its history.
func record(tb testing.TB, reg *engine.Registry, name string, sample func(int) []byte) []history.Event {
	tb.Helper()
	x := engine.New(engine.Config{Instance: "bench", ExecutionID: 1, Registry: reg})
	defer x.Close()
	input := sample(0)
	arrivals := []engine.Arrival{{Event: history.Event{Kind: history.OrchestrationStarted, Name: name, Payload: input,
		Start: &history.Start{ExecutionID: 1, StartID: "bench"}}}}
	var events, late []history.Event
	for len(arrivals) > 0 {
		turn, err := x.Run(engine.Input{NowMS: 1_700_000_000_000, Arrivals: arrivals})
		if err != nil || turn.Stuck != nil {
			tb.Fatal(err, turn.Stuck)
		}
		events = append(events, turn.Events...)
		arrivals = arrivals[:0]
		for i := range turn.Events {
			switch e := &turn.Events[i]; e.Kind {
			case history.ActivityScheduled:
				arrivals = append(arrivals, engine.Arrival{Event: history.Event{Kind: history.ActivityCompleted,
					SourceEventID: e.EventID, Payload: sample(int(e.EventID))}, Proven: true})
			case history.TimerCreated:
				// It loses, and fires one round later all the same.
				late = append(late, history.Event{Kind: history.TimerFired, SourceEventID: e.EventID, FireAtMS: e.FireAtMS})
			}
		}
		if len(late) > 1 {
			arrivals = append(arrivals, engine.Arrival{Event: late[0], Proven: true})
			late = late[1:]
		}
	}
	if !events[len(events)-1].Kind.Terminal() {
		tb.Fatalf("%s did not end", name)
	}
	return events
}

func BenchmarkTurnstile(b *testing.B) {
	stored := storedReplays(b)
	for i, shape := range shapes {
		raw, err := engine.NewRegistry(engine.Orchestration{Name: shape.orchestration, Func: shape.raw})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(shape.name+"/decoded", func(b *testing.B) {
			replay(b, raw, record(b, raw, shape.orchestration, shape.sample))
		})
		b.Run(shape.name+"/stored", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				stored[i].replay(b)
			}
			perSecond(b, b.N*stored[i].events)
		})
	}
}

func replay(b *testing.B, reg *engine.Registry, events []history.Event) {
	b.ReportAllocs()
	for b.Loop() {
		replayOnce(b, reg, events)
	}
	perSecond(b, b.N*len(events))
}

func replayOnce(tb testing.TB, reg *engine.Registry, events []history.Event) {
	x := engine.New(engine.Config{Instance: "bench", ExecutionID: 1, Registry: reg})
	if err := x.Feed(events, false); err != nil {
		tb.Fatal(err)
	}
	turn, err := x.Run(engine.Input{})
	if err != nil || turn.State != engine.Ended || len(turn.Events) != 0 {
		tb.Fatal(err, turn.State, turn.Stuck)
	}
	x.Close()
}

func perSecond(b *testing.B, events int) {
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(events)/float64(b.N), "events/op")
}
