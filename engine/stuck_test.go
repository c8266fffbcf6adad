package engine_test

import (
	"bytes"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func TestRule11StuckNotDead(t *testing.T) {
	t.Parallel()
	broken := true
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		for i := 0; i < 3; i++ {
			if _, err := c.Await(c.ExternalEvent("e")); err != nil {
				return nil, err
			}
			if i == 1 && broken {
				panic("oops")
			}
			act(c, "A")
		}
		return []byte("1"), nil
	}
	f := newFixture(t, code)
	f.turn(start("0"))
	// the code responds to the first; the second makes it panic.
	turn := f.turn(event("e", "1"), event("e", "2"), event("e", "3"))
	f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Act(A)", "5 Sub(e)", "6 Ev(e)", "7 Ev(e)")
	if turn.State != engine.Stuck || turn.Stuck.Kind != engine.StuckPanic || turn.Stuck.EventID != 6 || !turn.Parked {
		t.Fatalf("state %v, stuck %v", turn.State, turn.Stuck)
	}
	if !strings.Contains(turn.Stuck.Message, "oops") || !strings.Contains(turn.Stuck.Stack, "stuck_test.go") {
		t.Errorf("R-14: message %q, stack:\n%s", turn.Stuck.Message, turn.Stuck.Stack)
	}
	// attempts without new arrivals write nothing.
	if turn := f.turn(); len(turn.Events) != 0 || turn.State != engine.Stuck {
		t.Fatalf("a wake-up of wrong code: %v, events %s", turn.State, show(turn.Events))
	}
	broken = false
	turn = f.turn()
	if !turn.Recovered || turn.State != engine.Ended {
		t.Fatalf("after the fix: %v, %v", turn.State, turn.Stuck)
	}
	f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Act(A)", "5 Sub(e)", "6 Ev(e)", "7 Ev(e)",
		"8 Act(A)", "9 Sub(e)", "10 Act(A)", "11 Completed(1)")
	f.replaysCleanly()
}

func TestR14PolicyFail(t *testing.T) {
	t.Parallel()
	for _, value := range []any{"a string", errors.New("an error"), 42} {
		f := newFixtureOf(t, engine.Orchestration{Name: "Test", FailWhenStuck: true,
			Func: func(c *engine.Context, _ []byte) ([]byte, error) { act(c, "A"); panic(value) }})
		turn := f.turn(start("0"), event("e", "1"))
		f.wantHistory("1 Started", "2 Failed(imposed: policy)")
		if turn.State != engine.Ended || turn.Verdicts[1].Kind != engine.Late || turn.End().Failure.Kind != history.FailurePanic {
			t.Errorf("state %v, verdicts %v", turn.State, turn.Verdicts)
		}
		f.replaysCleanly()
	}
}

func TestRule10Unwinding(t *testing.T) {
	t.Parallel()
	expectStuck := func(name, says string, code engine.Func) {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, code)
			turn := f.turn(start("0"))
			f.wantHistory("1 Started")
			if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckPanic || !strings.Contains(turn.Stuck.Message, says) {
				t.Fatalf("stuck: %v", turn.Stuck)
			}
			if turn := f.turn(); turn.State != engine.Stuck {
				t.Fatalf("again: %v", turn.State)
			}
		})
	}
	expectStuck("R-20 a deferred function awaits, then panic", "panic: first at ", func(c *engine.Context, _ []byte) ([]byte, error) {
		defer func() { _, _ = call(c, "Cleanup") }()
		panic("first")
	})
	expectStuck("R-20 code that recovers in the deferred function that awaits", "during a panic", func(c *engine.Context, _ []byte) (out []byte, err error) {
		defer func() {
			recover()
			_, err = call(c, "Cleanup")
		}()
		panic("first")
	})
	expectStuck("R-20 a deferred function that loops until a durable call succeeds", "during a panic", func(c *engine.Context, _ []byte) (out []byte, err error) {
		defer func() {
			recover()
			for {
				if _, err = call(c, "Cleanup"); err == nil {
					return
				}
			}
		}()
		panic("first")
	})
	expectStuck("R-20 a deferred function loops until a durable call succeeds, and lets the panic go on", "; the panic was at ", func(c *engine.Context, _ []byte) (out []byte, err error) {
		defer func() {
			for {
				if _, err = call(c, "Cleanup"); err == nil {
					return
				}
			}
		}()
		panic("first")
	})
	expectStuck("R-20 a deferred function panics because it could not await", "; in a deferred function that ran because of a panic at ", func(c *engine.Context, _ []byte) ([]byte, error) {
		defer func() {
			if _, err := call(c, "Cleanup"); err != nil {
				panic(err)
			}
		}()
		panic("first")
	})
	expectStuck("R-20 runtime.Goexit", "runtime.Goexit", func(c *engine.Context, _ []byte) ([]byte, error) {
		runtime.Goexit()
		return nil, nil
	})
	expectStuck("R-20 a deferred function awaits during runtime.Goexit", "during a panic", func(c *engine.Context, _ []byte) ([]byte, error) {
		defer func() { _, _ = call(c, "Cleanup") }()
		runtime.Goexit()
		return nil, nil
	})

	t.Run("R-20 code that recovers everything is nevertheless unwound", func(t *testing.T) {
		ended := 0
		f := newFixture(t, func(c *engine.Context, _ []byte) (out []byte, err error) {
			defer func() {
				ended++
				if r := recover(); r != nil {
					t.Errorf("recovered %v", r)
				}
				if _, err := call(c, "Unlock"); !errors.Is(err, engine.ErrUnwinding) {
					t.Errorf("durable call while unwinding: %v", err)
				}
			}()
			v, err := call(c, "A")
			return []byte(v), err
		})
		f.turn(start("0"))
		f.wantHistory("1 Started", "2 Act(A)")
		if ended != 1 {
			t.Errorf("deferred function ran %d times", ended)
		}
	})
	t.Run("R-20 a loop that retries in a deferred function while unwinding ends", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) (out []byte, err error) {
			defer func() {
				for {
					if _, err := call(c, "Unlock"); err == nil {
						return
					}
				}
			}()
			_, err = call(c, "A")
			return nil, err
		})
		f.turn(start("0"))
		f.wantHistory("1 Started", "2 Act(A)")
	})
	t.Run("a panic that the code recovers is not a panic", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			func() {
				defer func() { recover() }()
				panic("handled")
			}()
			v, err := call(c, "A")
			return []byte(v), err
		})
		f.turn(start("0"))
		f.turn(completed(2, "5"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Done←2", "4 Completed(5)")
		f.replaysCleanly()
	})
}

// A deferred function of code that panics cannot do what the history or a limit forbids,
// and that must not hide the panic.
func TestR14ThePanicIsTheReasonWhateverItsDeferredFunctionsDo(t *testing.T) {
	t.Parallel()
	cleanups := map[string]func(c *engine.Context){
		"awaits an activity": func(c *engine.Context) { _, _ = call(c, "Cleanup") },
		"starts an operation that the history does not have": func(c *engine.Context) { act(c, "Cleanup") },
		"starts a branch too many":                           func(c *engine.Context) { c.Go(func(*engine.Context) ([]byte, error) { return nil, nil }) },
		"starts more than a turn's limit":                    func(c *engine.Context) { act(c, "1"); act(c, "2"); act(c, "3") },
		"takes the time and waits for many":                  func(c *engine.Context) { _, _ = c.Now(); _, _ = c.Join(act(c, "1"), c.ExternalEvent("2")) },
		"asks for a patch and sets a state":                  func(c *engine.Context) { _, _ = c.Patched("p"); c.SetState(history.ListedState, []byte("1")) },
	}
	for name, cleanup := range cleanups {
		for _, where := range []string{"live", "in a round that is recorded", "in a branch"} {
			t.Run(name+", "+where, func(t *testing.T) {
				broken := where == "live"
				first := func(c *engine.Context) ([]byte, error) {
					act(c, "A")
					if broken {
						defer cleanup(c)
						theBrokenPlace()
					}
					return c.Await(c.ExternalEvent("e"))
				}
				f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
					if where == "in a branch" {
						return c.Await(c.Go(first))
					}
					return first(c)
				})
				f.opts.MaxOperations, f.opts.MaxCoroutines = 3, 2
				turn := f.turn(start("0"))
				if where != "live" {
					broken = true
					turn = f.turn(event("e", "1"))
				}
				if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckPanic || !strings.Contains(turn.Stuck.Message, "panic: the first reason at ") || !strings.Contains(turn.Stuck.Stack, "theBrokenPlace") {
					t.Fatalf("stuck: %v, stack:\n%s", turn.Stuck, turn.Stuck.Stack)
				}
				if n := len(f.events); where == "live" && n != 1 || where != "live" && n != 4 {
					t.Errorf("history %s", show(f.events))
				}
			})
		}
	}
}

func theBrokenPlace() { panic("the first reason") }

func TestR22Deadlock(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		var a, b *engine.Future
		a = c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(b) })
		b = c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(a) })
		_, err := c.Join(a, b)
		return nil, err
	})
	turn := f.turn(start("0"))
	if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckDeadlock || strings.Count(turn.Stuck.Message, "stuck_test.go:") != 3 {
		t.Fatalf("stuck: %v", turn.Stuck)
	}
	f.wantHistory("1 Started")
	// A cancel is still processed: it ends the waits.
	turn = f.turn(cancelRequest("enough"))
	if turn.State != engine.Ended || turn.End().Failure.Kind != history.FailureCancelled {
		t.Fatalf("after cancel: %v, %v", turn.State, turn.Stuck)
	}
	f.replaysCleanly()
}

// limitGuard is a watchdog that counts checks instead of reading a clock.
type limitGuard struct{ looks int }

func (g limitGuard) Run(run func(), progress func() uint64) string {
	done := make(chan struct{})
	go func() { defer close(done); run() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for same, last := 0, progress(); ; {
		select {
		case <-done:
			return ""
		case <-tick.C:
			if now := progress(); now != last {
				last, same = now, 0
			} else if same++; same > g.looks {
				return "goroutine 1 [blocked]"
			}
		}
	}
}

func TestR15BlockedOutsideDurableOperations(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	escaped := make(chan error, 1)
	blocks := true
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		if _, err := c.Await(c.ExternalEvent("e")); err != nil {
			return nil, err
		}
		act(c, "A")
		if _, err := c.Await(c.ExternalEvent("e")); err != nil {
			return nil, err
		}
		if blocks {
			defer func() { escaped <- nil }()
			<-release
			_, err := call(c, "Never")
			escaped <- err
		}
		return []byte("1"), nil
	})
	f.opts.Guard = limitGuard{looks: 20}
	f.turn(start("0"))
	x := f.cold()
	defer x.Close()
	turn := f.turnOn(x, event("e", "1"), event("e", "2"), event("x", "3"))
	if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckBlocked || !strings.Contains(turn.Stuck.Message, "blocks outside durable operations") || turn.Stuck.Stack == "" {
		t.Fatalf("stuck: %v", turn.Stuck)
	}
	f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Act(A)", "5 Sub(e)", "6 Ev(e)", "7 Ev(x)")
	if turn.Stuck.EventID != 6 || len(turn.Verdicts) != 3 {
		t.Errorf("event %d, verdicts %v", turn.Stuck.EventID, turn.Verdicts)
	}
	close(release)
	// While that code may be running again, the execution reports the result of the turn
	// (under -race this failed).
	if e := x.Started(); x.LastEventID() != 7 || e.Name != "Test" || x.Ended() {
		t.Errorf("after the turn: last event %d, %s, ended %v", x.LastEventID(), e.Name, x.Ended())
	}
	if err := <-escaped; err != nil {
		t.Errorf("the blocked code continued: %v", err)
	}
	blocks = false
	f.turn()
	f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Act(A)", "5 Sub(e)", "6 Ev(e)", "7 Ev(x)", "8 Completed(1)")
	f.replaysCleanly()
}

func TestR16LogLinesOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		log := c.Logger()
		log.Info("begin")
		c.Go(func(c *engine.Context) ([]byte, error) {
			_, err := c.Await(c.ExternalEvent("e"))
			c.Logger().Info("got e")
			return nil, err
		})
		v, err := call(c, "A")
		log.Info("end", "value", v)
		return nil, err
	})
	f.opts.LogHandler = slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	emit := func(turn engine.Turn) {
		for _, l := range turn.Logs {
			_ = l.Handler.Handle(t.Context(), l.Record)
		}
	}
	emit(f.turn(start("0")))
	emit(f.turn(event("e", "1"))) // a round without scheduling events
	emit(f.turn(event("x", "1")))
	emit(f.turn(completed(2, "1")))
	for _, line := range []string{"begin", "got e", "end"} {
		if n := strings.Count(out.String(), `msg="`+line) + strings.Count(out.String(), "msg="+line); n != 1 {
			t.Errorf("%q logged %d times:\n%s", line, n, out.String())
		}
	}
	if !strings.Contains(out.String(), "instance=i execution_id=1") {
		t.Errorf("log line does not say its instance:\n%s", out.String())
	}
	f.replaysCleanly()
}

func TestRule12ForcedEnds(t *testing.T) {
	t.Parallel()
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		a, w := act(c, "A"), c.Timer(time.Hour)
		_, err := c.Join(a, w)
		return nil, err
	}
	forceEnd := func(f *fixture) engine.Turn {
		x := f.cold()
		defer x.Close()
		turn, err := x.ForceEnd(f.nowMS, history.ForcedByOperator, "", history.Failure{Kind: history.FailureTerminated, Message: "enough"})
		if err != nil {
			f.t.Fatal(err)
		}
		f.commit(turn)
		return turn
	}
	t.Run("R-21 terminated while waiting", func(t *testing.T) {
		f := newFixture(t, code)
		f.turn(start("0"))
		turn := forceEnd(f)
		f.wantHistory("1 Started", "2 Act(A)", "3 Timer(3600000ms)", "4 Failed(imposed: terminated)")
		if len(turn.Cancelled) != 2 {
			t.Errorf("cancelled %v", turn.Cancelled)
		}
		f.replaysCleanly()
	})
	t.Run("R-21 with a parked completion before the end", func(t *testing.T) {
		f := newFixture(t, code)
		f.turn(start("0"))
		x := f.cold()
		turn, _ := x.Run(engine.Input{Park: true, Arrivals: []engine.Arrival{completed(2, "1")}})
		f.commit(turn)
		forceEnd(f)
		f.replaceCode(func(c *engine.Context, in []byte) ([]byte, error) {
			a, w := act(c, "A"), c.Timer(time.Hour)
			if _, err := c.Join(a); err == nil {
				t.Error("the round with only an imposed end was run")
			}
			_, err := c.Await(w)
			return nil, err
		})
		f.wantHistory("1 Started", "2 Act(A)", "3 Timer(3600000ms)", "4 Done←2", "5 Failed(imposed: terminated)")
		f.replaysCleanly()
	})
	t.Run("R-21 a parked start", func(t *testing.T) {
		f := newFixture(t, func(*engine.Context, []byte) ([]byte, error) { panic("never run") })
		x := f.cold()
		turn, _ := x.Run(engine.Input{Park: true, Arrivals: []engine.Arrival{start("0")}})
		f.commit(turn)
		forceEnd(f)
		f.wantHistory("1 Started", "2 Failed(imposed: terminated)")
		f.replaysCleanly()
	})
}

// During a deployment that adds the handler of an update, processes of the older build also have the
// instances whose newer build has decided about one.
func TestABuildWithoutTheHandlerOfADecidedUpdateLeavesItToAnother(t *testing.T) {
	t.Parallel()
	for what, validate := range map[string]func([]byte) error{"accepted": nil, "rejected": func([]byte) error { return errors.New("no") }} {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			if err := c.HandleUpdate("u", engine.UpdateHandler{Validate: validate, Handle: func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil }}); err != nil {
				return nil, err
			}
			return c.Await(c.ExternalEvent("e"))
		})
		f.opts.FailWhenStuck = true
		f.turn(start("0"), eventFromTo(history.UpdatePrefix+"u", "id"))
		f.replaceCode(func(c *engine.Context, _ []byte) ([]byte, error) { return c.Await(c.ExternalEvent("e")) })
		turn := f.turn(event("e", "1"))
		if turn.Stuck == nil || turn.Stuck.Patch != "update u" || turn.State != engine.Stuck || !strings.Contains(turn.Stuck.Message, `no handler for the update "u"`) {
			t.Errorf("%s: %+v", what, turn.Stuck)
		}
	}
}
