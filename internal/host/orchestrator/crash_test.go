package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// All crash points of category W: a program runs once undisturbed to count the calls of its
// processes. Then it runs once for each call, with the process killed before the call takes effect,
// and once with the process killed after it. The outcome must be the same, and the invariants must
// hold.

// program is a program that is run with crashes.
type program struct {
	name string
	// shifts: the order of arrivals changes the history, but not the outcome.
	shifts bool
	set    func(w *world)
	begin  func(w *world)
	// outputs of the instances at the end.
	outputs map[string]string
	// instances whose histories are checked.
	instances []string
	// also makes further checks at the end.
	also func(w *world)
}

func programs() []program {
	one := func(name string, code engine.Func, output string, more ...func(w *world)) program {
		return program{
			name: name,
			set: func(w *world) {
				w.orchestration("Main", code)
				w.activityFunc("Step", step)
				for _, f := range more {
					f(w)
				}
			},
			begin:     func(w *world) { w.start("main", "Main", "1") },
			outputs:   map[string]string{"main": output},
			instances: []string{"main"},
		}
	}
	chained := one("W-01 W-02 W-03 W-06 a chain of activities", chain(2), "111")

	fan := one("W-03 a fan-out, dispatched in part", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		var fs []*engine.Future
		for i := range 5 {
			fs = append(fs, ctx.Activity(engine.ActivityCall{Name: "Step", Input: fmt.Append(nil, i+1)}))
		}
		out, err := ctx.Join(fs...)
		if err != nil {
			return nil, err
		}
		var all []string
		for _, o := range out {
			all = append(all, string(o))
		}
		return []byte(`"` + strings.Join(all, " ") + `"`), nil
	}, `"11 21 31 41 51"`)

	timers := one("W-04 timers by queue and by schedule, one cancelled", func(ctx *engine.Context, _ []byte) ([]byte, error) {
		long, short := ctx.Timer(3*time.Hour), ctx.Timer(time.Minute)
		if _, err := ctx.Select(false, long, short); err != nil {
			return nil, err
		}
		if _, err := ctx.Await(ctx.Timer(2 * time.Hour)); err != nil {
			return nil, err
		}
		return []byte(`"done"`), nil
	}, `"done"`)

	family := one("W-05 a child and a detached orchestration", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("5")}); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.Child(engine.ChildCall{Name: "Other", Input: in}))
	}, "11", func(w *world) { w.orchestration("Other", chain(1)) })
	family.outputs["other"] = "51"
	family.instances = []string{"main", "main/1/3", "other"}

	again := one("W-11 N-04 continue-as-new twice in one invocation", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if string(in) != "111" {
			return nil, ctx.ContinueAsNew("", append(in, '1'), nil)
		}
		return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
	}, "1111")

	inline := one("W-01 inline activities", func(ctx *engine.Context, in []byte) ([]byte, error) {
		queued := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
		a, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "In", Input: in, Inline: true}))
		if err != nil {
			return nil, err
		}
		b, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "In", Input: a, Inline: true}))
		if err != nil {
			return nil, err
		}
		c, err := ctx.Await(queued)
		return append(b, c...), err
	}, "12211", func(w *world) {
		w.inline = []activities.Activity{{Name: "In", Source: "test", Func: func(_ context.Context, in []byte) ([]byte, error) {
			return append(in[:len(in):len(in)], '2'), nil
		}}}
	})

	batched := one("W-01 inline activities that share commits, and a retry by timer", func(ctx *engine.Context, in []byte) ([]byte, error) {
		for _, name := range []string{"In", "In", "In", "Queued", "In", "In", "Late"} {
			call := engine.ActivityCall{Name: name, Input: in, Retry: &history.Retry{Batch: 2, MaxAttempts: 2, InitialMS: 90_000}}
			out, err := []byte(nil), error(nil)
			if name == "Queued" {
				out, err = ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
			} else {
				out, err = ctx.Inline(call)
			}
			if err != nil {
				return nil, err
			}
			in = out
		}
		return in, nil
	}, "12221223", func(w *world) {
		w.inline = []activities.Activity{{Name: "In", Source: "test", Func: func(_ context.Context, in []byte) ([]byte, error) {
			return append(in[:len(in):len(in)], '2'), nil
		}}, {Name: "Late", Source: "test", Func: func(ctx context.Context, in []byte) ([]byte, error) {
			if info, _ := activities.InfoFrom(ctx); info.Number < 2 {
				return nil, errors.New("not yet")
			}
			return append(in[:len(in):len(in)], '3'), nil
		}}}
	})

	talking := one("W-03 events and a cancel for other instances", func(ctx *engine.Context, in []byte) ([]byte, error) {
		other := ctx.Child(engine.ChildCall{Name: "Child", Instance: "other", Input: in})
		third := ctx.Child(engine.ChildCall{Name: "Child", Instance: "third", Input: in})
		// A cancel that arrives before the start has no effect.
		if _, err := ctx.Await(ctx.Timer(time.Hour)); err != nil {
			return nil, err
		}
		for _, data := range []string{"1", "2"} {
			if err := ctx.RaiseEvent("other", "e", []byte(data), nil); err != nil {
				return nil, err
			}
		}
		if err := ctx.CancelInstance("third", "enough"); err != nil {
			return nil, err
		}
		if _, err := ctx.Await(third); !errors.Is(err, engine.ErrCancelled) {
			return nil, fmt.Errorf("the third ended with %w", err)
		}
		return ctx.Await(other)
	}, "[1,2]", func(w *world) { w.orchestration("Child", waits("e", "e")) })
	talking.instances = []string{"main", "other", "third"}
	// A batch has the first message of each instance. A crash after the batch leaves the third
	// instance cancelled, while the second event for the other instance has not been sent yet.
	talking.shifts = true

	events := one("W-03 events, a cancel and compensation", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
			return nil, err
		}
		_, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Never", Input: in}))
		if !errors.Is(err, engine.ErrCancelled) {
			return nil, fmt.Errorf("not cancelled: %w", err)
		}
		clean := ctx.Shield()
		return clean.Await(clean.Activity(engine.ActivityCall{Name: "Step", Input: in}))
	}, "11", func(w *world) {
		w.activityFunc("Never", func(context.Context, []byte) ([]byte, error) { return []byte("0"), nil })
	})
	events.begin = func(w *world) {
		w.start("main", "Main", "1")
		w.raise("main", "go", "1", "e-1")
		w.send(wire.Item{Kind: wire.CancelInstance, Instance: "main", ID: "c-1", Reason: "enough"})
	}

	terminated := one("W-05 K-07 terminate reaches a child, whose parent is told", func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Sleeper", Instance: "child", Input: in}))
		var f *engine.FailureError
		if errors.As(err, &f) {
			return []byte(`"` + f.Failure.Kind + `"`), nil
		}
		return nil, err
	}, `"terminated"`, func(w *world) {
		w.orchestration("Sleeper", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			return ctx.Await(ctx.Timer(72 * time.Hour))
		})
	})
	terminated.begin = func(w *world) {
		w.start("main", "Main", "1")
		w.sendLater(5*time.Hour, wire.Item{Kind: wire.TerminateInstance, Instance: "child", ID: "t-1", Reason: "stop"})
	}

	adopting := one("P-03 two parents of one instance, which continues as new", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.Timer(time.Minute)); err != nil {
			return nil, err
		}
		return ctx.Await(ctx.Child(engine.ChildCall{Name: "Shared", Instance: "shared", Input: in, UseExisting: true}))
	}, `[2]`, func(w *world) {
		w.orchestration("Shared", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "1" {
				_, err := ctx.Await(ctx.Timer(time.Hour))
				if err == nil {
					err = ctx.ContinueAsNew("", []byte("2"), nil)
				}
				return nil, err
			}
			if _, err := ctx.Await(ctx.Timer(time.Hour)); err != nil {
				return nil, err
			}
			return []byte("[" + string(in) + "]"), nil
		})
	})
	adopting.begin = func(w *world) {
		w.start("main", "Main", "1")
		w.start("second", "Main", "1")
		w.sendLater(30*time.Minute, wire.Item{Kind: wire.StartOrchestration, Instance: "third", Name: "Main", Input: []byte("1"), ID: "third"})
		w.sendLater(5*time.Hour, wire.Item{Kind: wire.StartOrchestration, Instance: "late", Name: "Main", Input: []byte("1"), ID: "late"})
	}
	for _, parent := range []string{"second", "third", "late"} {
		adopting.outputs[parent] = "[2]"
	}
	adopting.instances = []string{"main", "second", "third", "late", "shared"}

	mended := one("R-18 stuck until the code is mended", func(ctx *engine.Context, in []byte) ([]byte, error) {
		if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
			return nil, err
		}
		return waits("e", "e")(ctx, in)
	}, "[1,2]", func(w *world) {
		right := w.orchestrations[0].Func
		startedAt := w.clock.Now()
		w.orchestrations[0].Func = func(ctx *engine.Context, in []byte) ([]byte, error) {
			if now := w.clock.Now(); now.After(startedAt.Add(time.Minute)) && now.Before(startedAt.Add(5*time.Hour)) {
				panic("broken for some hours")
			}
			return right(ctx, in)
		}
	})
	mended.begin = func(w *world) {
		w.start("main", "Main", "1")
		w.sendLater(2*time.Hour, wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "e", Data: []byte("1"), ID: "e-1"})
		w.sendLater(3*time.Hour, wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "e", Data: []byte("2"), ID: "e-2"})
	}

	looping := one("N-02 a loop with events, timers and continue-as-new", loop(1000*time.Hour), "111111")
	looping.begin = func(w *world) {
		w.start("main", "Main", "1")
		for i := range 6 {
			w.raise("main", "tick", fmt.Sprint(i), fmt.Sprint("t-", i))
		}
	}

	yielding := one("W-01 a long turn that yields by wakes", func(ctx *engine.Context, in []byte) ([]byte, error) {
		queued := ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})
		for range 5 {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Slow", Input: in, Inline: true})); err != nil {
				return nil, err
			}
		}
		if _, err := waits("e")(ctx, in); err != nil {
			return nil, err
		}
		return ctx.Await(queued)
	}, "11", func(w *world) {
		w.inline = []activities.Activity{{Name: "Slow", Source: "test", Func: func(context.Context, []byte) ([]byte, error) {
			w.clock.Advance(25 * time.Second)
			return []byte("1"), nil
		}}}
	})
	yielding.begin = func(w *world) {
		w.start("main", "Main", "1")
		w.raise("main", "e", "1", "e-1")
	}

	purged := one("O-04 a forced purge of a child whose own child runs", func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Middle", Instance: "middle", Input: in}))
		var f *engine.FailureError
		if errors.As(err, &f) {
			return []byte(`"` + f.Failure.Kind + `"`), nil
		}
		return nil, err
	}, `"terminated"`, func(w *world) {
		w.orchestration("Middle", func(ctx *engine.Context, in []byte) ([]byte, error) {
			ctx.Timer(90 * time.Hour)
			return ctx.Await(ctx.Child(engine.ChildCall{Name: "Leaf", Instance: "leaf", Input: in}))
		})
		w.orchestration("Leaf", waits("never"))
	})
	purged.begin = func(w *world) {
		w.start("main", "Main", "1")
		w.sendLater(5*time.Hour, wire.Item{Kind: wire.TerminateInstance, Instance: "middle", ID: "t"})
		w.sendLater(5*time.Hour+time.Second, wire.Item{Kind: wire.PurgeInstance, Instance: "middle", ID: "p", Force: true})
	}
	purged.instances = []string{"main", "leaf"}
	purged.also = func(w *world) {
		w.expectStatus("leaf", store.StatusTerminated)
		if turns, err := w.store.Read(context.Background(), "middle", 1, 1); !w.record("middle").Purged || len(turns) > 0 || err != nil {
			w.Errorf("middle was not purged: %+v, %d turns, %v", w.record("middle"), len(turns), err)
		}
	}

	// begun is an instance that is started again with a different input after it has ended:
	// immediately, and hours later.
	begun := program{name: "an instance restarts", set: func(w *world) {
		w.activityFunc("Step", step)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.Timer(time.Hour)); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}))
		})
	}}
	begun.begin = func(w *world) {
		w.start("main", "Main", "1")
		for n, d := range []time.Duration{3 * time.Hour, 6 * time.Hour} {
			w.sendLater(d, wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", ID: fmt.Sprint("again-", n),
				Input: []byte(fmt.Sprint(n + 2)), OnConflict: wire.ConflictRestart})
		}
	}
	begun.instances, begun.outputs = []string{"main"}, map[string]string{"main": "31"}
	begun.also = func(w *world) {
		if r := w.record("main"); r.ExecutionID != 3 || r.FirstExecution != 1 {
			w.Errorf("it is at execution %d", r.ExecutionID)
		}
	}

	// redriven fails together with its child, and both continue when their activities are fixed. It
	// has a timer, an inline activity, and a message that other instances have already received.
	redriven := program{name: "O-10 an instance goes on where it failed", set: func(w *world) {
		mended := w.clock.Now().Add(2 * time.Hour)
		w.activityFunc("Step", func(ctx context.Context, in []byte) ([]byte, error) {
			if string(in) == "2" && w.clock.Now().Before(mended) {
				return nil, errors.New("broken for some hours")
			}
			return step(ctx, in)
		})
		w.inline = []activities.Activity{{Name: "Quick", Source: "test", Func: step}}
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			long := ctx.Timer(9 * time.Hour)
			if err := ctx.RaiseEvent("other", "told", in, nil); err != nil {
				return nil, err
			}
			fs := []*engine.Future{ctx.Activity(engine.ActivityCall{Name: "Step", Input: in}), ctx.Child(engine.ChildCall{Name: "Child", Instance: "child", Input: in})}
			if _, err := ctx.Join(fs...); err != nil {
				return nil, err
			}
			out, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Quick", Input: []byte("3"), Inline: true}))
			if err == nil {
				_, err = ctx.Await(long)
			}
			return out, err
		})
		w.orchestration("Child", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("2")}))
		})
		w.orchestration("Other", waits("told", "never"))
	}}
	redriven.begin = func(w *world) {
		w.start("other", "Other", "1")
		w.start("main", "Main", "1")
		w.sendLater(3*time.Hour, redriveOf("main", "r1", 0))
		w.sendLater(4*time.Hour, redriveOf("main", "r2", 0))
	}
	redriven.instances, redriven.outputs = []string{"main", "child", "other"}, map[string]string{"main": "31", "child": "21"}
	redriven.also = func(w *world) {
		if r, c := w.record("main"), w.record("child"); r.ExecutionID != 2 || c.ExecutionID != 2 {
			w.Errorf("main is at execution %d, its child at %d", r.ExecutionID, c.ExecutionID)
		}
		w.expectHistory("other", 1, "Started Sub(told) Ev(told) Sub(never)")
	}

	// forked fails together with its child. A fork continues with its own child, while the original
	// instance stays unchanged.
	forked := program{name: "O-12 an instance goes on as another one", set: redriven.set}
	forked.set = func(w *world) {
		redriven.set(w)
		w.deploy("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			long := ctx.Timer(9 * time.Hour)
			if err := ctx.RaiseEvent("other", "told", in, nil); err != nil {
				return nil, err
			}
			out, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Child", Input: in}))
			if err == nil {
				_, err = ctx.Await(long)
			}
			return out, err
		})
	}
	forked.begin = func(w *world) {
		w.start("other", "Other", "1")
		w.start("main", "Main", "1")
		w.sendLater(3*time.Hour, forkOf("main", "fork", 0))
		w.sendLater(4*time.Hour, forkOf("main", "fork", 0))
	}
	forked.instances, forked.outputs = []string{"main", "fork", "fork/1/4", "other"}, map[string]string{"fork": "21", "fork/1/4": "21"}
	forked.also = func(w *world) {
		w.expectStatus("main", store.StatusFailed)
		w.expectStatus("main/1/4", store.StatusFailed)
		w.expectHistory("other", 1, "Started Sub(told) Ev(told) Sub(never)")
	}

	// The same with commits of at most six events, and with copied events written one at a time.
	parted, forkedInParts := redriven, forked
	parted.name, forkedInParts.name = "O-10 what one commit does not hold is taken over", "O-12 what one commit does not hold goes into a fork"
	parted.set = func(w *world) {
		redriven.set(w)
		w.smallCommits(6)
	}
	forkedInParts.set = func(w *world) {
		forked.set(w)
		w.smallCommits(6)
	}

	inline.shifts, batched.shifts, events.shifts, mended.shifts, looping.shifts, yielding.shifts, redriven.shifts, forked.shifts, parted.shifts, forkedInParts.shifts = true, true, true, true, true, true, true, true, true, true
	return []program{chained, fan, timers, family, again, inline, batched, talking, events, terminated, adopting, mended, looping, yielding, purged, begun, redriven, forked, parted, forkedInParts}
}

// smallCommits limits a commit to that many events, and each part of a copy to one event.
func (w *world) smallCommits(most int) {
	w.settings.Turn.Part = 1
	w.beforeCommit = func(c *store.Commit) error {
		n := 0
		for i := range c.Turns {
			n += len(c.Turns[i].Events)
		}
		if n > most {
			return &store.TooLargeError{Instance: c.Turns[0].Instance, Limit: fmt.Sprint(most, " events")}
		}
		return nil
	}
}

// sendLater sends an item through the timer.
func (w *world) sendLater(d time.Duration, item wire.Item) {
	w.Helper()
	if err := w.timer.Schedule(w.Context(), timer.Schedule{Name: "later-" + item.ID, Due: w.clock.Now().Add(d), Body: w.body(item), Group: wire.Group(item.Target())}); err != nil {
		w.Fatal(err)
	}
}

func (p *program) run(t *testing.T, arrange func(w *world)) *world {
	t.Helper()
	w := newWorld(t, p.set)
	p.begin(w)
	if arrange != nil {
		arrange(w)
	}
	w.run()
	return w
}

func (p *program) check(w *world) {
	w.Helper()
	for _, instance := range slices.Sorted(maps.Keys(p.outputs)) {
		w.expectOutput(instance, p.outputs[instance])
	}
	w.expectQuiet()
	w.expectDead()
	w.expectInvariants(p.instances...)
	if p.also != nil {
		p.also(w)
	}
}

// expectInvariants checks I-01, I-02, I-04 and I-06 for instances.
func (w *world) expectInvariants(instances ...string) {
	w.Helper()
	for _, instance := range instances {
		r := w.record(instance)
		for n := max(r.FirstExecution, 1); n <= r.ExecutionID; n++ {
			w.checkExecution(&r, n)
		}
	}
}

func (w *world) checkExecution(r *store.Record, n int64) {
	w.Helper()
	turns := w.turns(r.Instance, n)
	events := reading.EventsOf(turns)
	completed := map[int64]bool{}
	for i := range events {
		e := &events[i]
		if e.EventID != int64(i)+1 {
			w.Errorf("I-01: event %d of %s execution %d has id %d", i+1, r.Instance, n, e.EventID)
		}
		if (i == 0) != (e.Kind == history.OrchestrationStarted) || e.Kind.Terminal() && i != len(events)-1 {
			w.Errorf("I-01: %s stands at %d of %s execution %d", e.Kind, i+1, r.Instance, n)
		}
		if want := e.Kind.Completes(); want != history.KindUnknown {
			s := e.SourceEventID
			if s < 1 || s >= e.EventID || events[s-1].Kind != want || completed[s] {
				w.Errorf("I-02: %s at %d of %s execution %d names %d", e.Kind, i+1, r.Instance, n, s)
			}
			completed[s] = true
		}
	}
	if len(events) == 0 {
		w.Errorf("I-01: %s execution %d has no history", r.Instance, n)
		return
	}
	last := &events[len(events)-1]
	ended := last.Kind.Terminal() && last.Kind != history.OrchestrationContinuedAsNew
	if n == r.ExecutionID && (ended != r.Status.Terminal() || string(last.Payload) != string(r.Output) && ended) {
		w.Errorf("I-06: the record of %s says %s, the history ends with %s", r.Instance, r.Status, last.Kind)
	}
	registry, err := engine.NewRegistry(w.orchestrations...)
	if err != nil {
		w.Fatal(err)
	}
	x := engine.New(engine.Config{Instance: r.Instance, ExecutionID: n, Registry: registry})
	defer x.Close()
	if err := x.Feed(events, turns[len(turns)-1].Parked); err != nil {
		w.Errorf("I-04: %v", err)
		return
	}
	out, err := x.Run(engine.Input{NowMS: 1})
	if err != nil || len(out.Events) > 0 || out.Stuck != nil {
		w.Errorf("I-04: %s execution %d does not replay cleanly: %v, %v, %s", r.Instance, n, err, out.Stuck, short(out.Events))
	}
}

func TestKilledAtEachCall(t *testing.T) {
	t.Parallel()
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			undisturbed := p.run(t, nil)
			p.check(undisturbed)
			histories := undisturbed.shorts(p.instances)
			calls := undisturbed.process().calls
			workerCalls := 0
			if undisturbed.worker != nil {
				workerCalls = undisturbed.worker.calls
			}
			t.Logf("%d calls of the orchestrator, %d of the worker", calls, workerCalls)
			for _, after := range []bool{false, true} {
				for k := 1; k <= calls; k++ {
					t.Run(fmt.Sprintf("orchestrator at call %d, after it %t", k, after), func(t *testing.T) {
						w := p.run(t, func(w *world) { w.process().killAt, w.process().after = k, after })
						p.check(w)
						if got := w.shorts(p.instances); got != histories && !p.shifts {
							t.Errorf("histories\n%s\nwithout the crash\n%s", got, histories)
						}
					})
				}
				for k := 1; k <= workerCalls; k++ {
					t.Run(fmt.Sprintf("worker at call %d, after it %t", k, after), func(t *testing.T) {
						w := p.run(t, func(w *world) { w.workerProcess().killAt, w.worker.after = k, after })
						p.check(w)
					})
				}
			}
		})
	}
}

func (w *world) shorts(instances []string) string {
	var all []string
	for _, instance := range instances {
		for n := int64(1); n <= w.record(instance).ExecutionID; n++ {
			all = append(all, instance+": "+short(w.events(instance, n)))
		}
	}
	return strings.Join(all, "\n")
}
