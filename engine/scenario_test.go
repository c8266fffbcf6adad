package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func TestR03AwaitOrderAgainstCompletionOrder(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		for _, awaitSecondFirst := range []bool{false, true} {
			for _, secondCompletesFirst := range []bool{false, true} {
				t.Run(fmt.Sprintf("R-03 strict=%v, second awaited first=%v, second completes first=%v", strict, awaitSecondFirst, secondCompletesFirst), func(t *testing.T) {
					f := newFixtureOf(t, engine.Orchestration{Name: "Test", Strict: strict, Func: func(c *engine.Context, _ []byte) ([]byte, error) {
						fs := []*engine.Future{act(c, "A"), act(c, "B")}
						order := []int{0, 1}
						if awaitSecondFirst {
							order = []int{1, 0}
						}
						var vs [2]string
						for _, i := range order {
							v, err := c.Await(fs[i])
							if err != nil {
								return nil, err
							}
							vs[i] = string(v)
						}
						return []byte(vs[0] + vs[1]), nil
					}})
					f.turn(start("0"))
					arrivals := []engine.Arrival{completed(2, "1"), completed(3, "2")}
					if secondCompletesFirst {
						arrivals[0], arrivals[1] = arrivals[1], arrivals[0]
					}
					if strict && awaitSecondFirst != secondCompletesFirst {
						if nd := f.nondeterminism(arrivals...); nd.Rule != 9 || nd.EventID != 4 {
							t.Errorf("%v", nd)
						}
						return
					}
					turn := f.turn(arrivals...)
					if end := turn.End(); end == nil || string(end.Payload) != "12" {
						t.Fatalf("ended with %v, stuck %v", end, turn.Stuck)
					}
					f.replaysCleanly()
				})
			}
		}
	}
}

func TestR23OrderOfBranches(t *testing.T) {
	t.Parallel()
	t.Run("R-23 the parent's operations come first", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			var fs []*engine.Future
			for _, n := range []string{"X", "Y"} {
				fs = append(fs, c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(act(c, n)) }))
			}
			act(c, "P")
			act(c, "Q")
			_, err := c.Join(fs...)
			return nil, err
		})
		f.turn(start("0"))
		f.wantHistory("1 Started", "2 Act(P)", "3 Act(Q)", "4 Act(X)", "5 Act(Y)")
	})
	t.Run("R-23 made ready by one event, in the order of their start", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			gate := c.ExternalEvent("go")
			var fs []*engine.Future
			for _, n := range []string{"X", "Y", "Z"} {
				fs = append(fs, c.Go(func(c *engine.Context) ([]byte, error) {
					if _, err := c.Await(gate); err != nil {
						return nil, err
					}
					return c.Await(act(c, n))
				}))
			}
			for i := len(fs) - 1; i >= 0; i-- {
				if _, err := c.Await(fs[i]); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
		f.turn(start("0"))
		f.turn(event("go", "1"))
		f.wantHistory("1 Started", "2 Sub(go)", "3 Ev(go)", "4 Act(X)", "5 Act(Y)", "6 Act(Z)")
		f.replaysCleanly()
	})
}

func TestR27ContextCarriesItsScopeOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(outer *engine.Context, _ []byte) ([]byte, error) {
		b := outer.Go(func(*engine.Context) ([]byte, error) { return outer.Await(act(outer, "InBranch")) })
		if _, err := call(outer, "Main"); err != nil {
			return nil, err
		}
		return outer.Await(b)
	})
	f.turn(start("0"))
	f.wantHistory("1 Started", "2 Act(Main)", "3 Act(InBranch)")
	f.turn(completed(2, "1"))
	f.turn(completed(3, "2"))
	f.wantHistory("1 Started", "2 Act(Main)", "3 Act(InBranch)", "4 Done←2", "5 Done←3", "6 Completed(2)")
	f.replaysCleanly()
}

func TestR25ContextUsedFromAnotherGoroutine(t *testing.T) {
	t.Parallel()
	reported := make(chan error, 1)
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		go func() {
			_, err := c.Await(c.Activity(engine.ActivityCall{Name: "A"}))
			reported <- err
		}()
		err := <-reported
		reported <- err
		return nil, nil
	})
	f.turn(start("0"))
	f.wantHistory("1 Started", "2 Completed()")
	if err := <-reported; !errors.Is(err, engine.ErrNotRunning) || !strings.Contains(err.Error(), "goroutine") || !strings.Contains(err.Error(), "scenario_test.go:") {
		t.Errorf("reported %v", err)
	}
}

func TestContextUsedAfterTheTurn(t *testing.T) {
	t.Parallel()
	var kept *engine.Context
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { kept = c; return nil, nil })
	x := f.cold()
	f.turnOn(x, start("0"))
	if _, err := call(kept, "A"); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("after the end: %v", err)
	}
	x.Close()
	if _, err := call(kept, "A"); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("after close: %v", err)
	}
}

func TestTimers(t *testing.T) {
	t.Parallel()
	code := func(d time.Duration) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) { return c.Await(c.Timer(d)) }
	}
	tests := []struct {
		name           string
		d              time.Duration
		durationMS, in int64
	}{
		{"T-01 a second", time.Second, 1000, 1000},
		{"T-02 zero", 0, 0, 0},
		{"T-02 negative", -time.Minute, -60000, 0},
		{"T-01 a fraction is rounded up", 1500 * time.Microsecond, 2, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, code(test.d))
			f.turn(start("0"))
			e := f.events[1]
			if e.DurationMS != test.durationMS || e.FireAtMS != f.nowMS+test.in || e.AtMS != f.nowMS {
				t.Errorf("duration %d, fires at now%+d", e.DurationMS, e.FireAtMS-f.nowMS)
			}
			f.turn(fired(2))
			f.wantHistory("1 Started", fmt.Sprintf("2 Timer(%dms)", test.durationMS), "3 Fired←2", "4 Completed()")
			f.replaysCleanly()
		})
	}
	t.Run("T-07 cancelled before it fires", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			timer := c.Timer(time.Hour)
			if _, err := call(c, "A"); err != nil {
				return nil, err
			}
			timer.Cancel("not needed")
			_, err := c.Await(timer)
			if !errors.Is(err, engine.ErrCancelled) {
				return nil, fmt.Errorf("awaiting a cancelled timer: %w", err)
			}
			return c.Await(act(c, "B"))
		})
		f.turn(start("0"))
		if turn := f.turn(completed(3, "1")); fmt.Sprint(turn.Cancelled) != "[2]" {
			t.Errorf("cancelled %v", turn.Cancelled)
		}
		f.turn(fired(2)) // recorded, but delivered to no operation
		f.turn(completed(5, "2"))
		f.wantHistory("1 Started", "2 Timer(3600000ms)", "3 Act(A)", "4 Done←3", "5 Act(B)", "6 Fired←2", "7 Done←5", "8 Completed(2)")
		f.replaysCleanly()
		if turn := f.turn(fired(2)); turn.Verdicts[0].Kind != engine.Duplicate || len(turn.Events) > 0 {
			t.Errorf("after the end: %v", turn.Verdicts[0])
		}
	})
	t.Run("T-08 ends with open timers", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			c.Timer(time.Hour)
			c.Timer(time.Hour)
			_, err := call(c, "A")
			return nil, err
		})
		f.turn(start("0"))
		if turn := f.turn(completed(4, "1")); fmt.Sprint(turn.Cancelled) != "[2 3]" {
			t.Errorf("cancelled %v", turn.Cancelled)
		}
		if turn := f.turn(fired(2)); turn.Verdicts[0].Kind != engine.Late {
			t.Errorf("after the end: %v", turn.Verdicts[0])
		}
	})
}

func TestExternalEvents(t *testing.T) {
	t.Parallel()
	waits := func(names ...string) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) {
			var got []string
			for _, n := range names {
				v, err := c.Await(c.ExternalEvent(n))
				if err != nil {
					return nil, err
				}
				got = append(got, string(v))
			}
			return []byte(strings.Join(got, " ")), nil
		}
	}
	ends := func(t *testing.T, f *fixture, want string) {
		t.Helper()
		if e := f.events[len(f.events)-1]; string(e.Payload) != want {
			t.Fatalf("ended with %q, want %q\n%s", e.Payload, want, show(f.events))
		}
		f.replaysCleanly()
	}
	t.Run("E-01 wait, then event", func(t *testing.T) {
		f := newFixture(t, waits("e"))
		f.turn(start("0"))
		f.turn(event("e", "1"))
		f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Completed(1)")
		ends(t, f, "1")
	})
	t.Run("E-01 no payload", func(t *testing.T) {
		f := newFixture(t, waits("e"))
		f.turn(start("0"))
		f.turn(event("e", ""))
		ends(t, f, "")
	})
	t.Run("E-02 event before any wait", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if _, err := call(c, "A"); err != nil {
				return nil, err
			}
			return waits("e")(c, in)
		})
		f.turn(start("0"))
		f.turn(event("e", "1"))
		f.turn(completed(2, "0"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Ev(e)", "4 Done←2", "5 Sub(e)", "6 Completed(1)")
		ends(t, f, "1")
	})
	t.Run("E-02 events of the start", func(t *testing.T) {
		f := newFixture(t, waits("e", "e"))
		a := start("0")
		a.With = []history.Event{{Kind: history.ExternalEvent, Name: "e", Payload: []byte("1")}, {Kind: history.ExternalEvent, Name: "e", Payload: []byte("2")}}
		f.turn(a)
		f.wantHistory("1 Started", "2 Ev(e)", "3 Ev(e)", "4 Sub(e)", "5 Sub(e)", "6 Completed(1 2)")
		ends(t, f, "1 2")
	})
	t.Run("E-03 first in, first out", func(t *testing.T) {
		f := newFixture(t, waits("e", "e"))
		f.turn(start("0"))
		f.turn(event("e", "1"), event("e", "2"))
		ends(t, f, "1 2")
	})
	t.Run("E-04 equal payloads are two events; one sender id is one", func(t *testing.T) {
		f := newFixture(t, waits("e", "e", "e"))
		f.turn(start("0"))
		sent := event("e", "1")
		sent.Event.SenderID = "s"
		turn := f.turn(event("e", "1"), event("e", "1"), sent, sent)
		if turn.Verdicts[3].Kind != engine.Duplicate || turn.Verdicts[3].EventID != turn.Verdicts[2].EventID {
			t.Errorf("verdicts %v", turn.Verdicts)
		}
		ends(t, f, "1 1 1")
	})
	t.Run("E-05 names apart, case-sensitive", func(t *testing.T) {
		f := newFixture(t, waits("b", "a", "a"))
		f.turn(start("0"))
		f.turn(event("A", "no"), event("a", "a1"), event("b", "b1"), event("a", "a2"))
		ends(t, f, "b1 a1 a2")
	})
	t.Run("E-06 the wait scheduled first gets it", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			first, second := c.ExternalEvent("e"), c.ExternalEvent("e")
			i, err := c.Select(true, second, first)
			if err != nil {
				return nil, err
			}
			v, err := c.Await(first)
			return []byte(fmt.Sprint(i, string(v))), err
		})
		f.turn(start("0"))
		f.turn(event("e", "x"))
		ends(t, f, "1x")
	})
	t.Run("E-07 and F-06 a wait that loses consumes nothing", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			i, err := c.Select(false, c.ExternalEvent("e"), c.Timer(time.Minute))
			if err != nil || i != 1 {
				return nil, fmt.Errorf("winner %d: %w", i, err)
			}
			return c.Await(c.ExternalEvent("e"))
		})
		f.turn(start("0"))
		f.turn(fired(3))
		f.turn(event("e", "late"))
		ends(t, f, "late")
	})
}

func TestFanOutAndSelect(t *testing.T) {
	t.Parallel()
	t.Run("F-01 join in argument order, error first in history", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			var fs []*engine.Future
			for i := 0; i < 3; i++ {
				fs = append(fs, act(c, "A"))
			}
			settled, err := c.Settle(fs...)
			if err != nil {
				return nil, err
			}
			var out []string
			for _, o := range settled {
				out = append(out, fmt.Sprint(string(o.Value), o.Err != nil))
			}
			_, err = c.Join(fs...)
			return []byte(strings.Join(out, ",") + " " + err.Error()), nil
		})
		f.turn(start("0"))
		f.turn(failed(4, "third"))
		f.turn(completed(3, "b"))
		f.turn(failed(2, "first"))
		want := `true,bfalse,true activity "A" (event 4) failed (application): third`
		if got := string(f.events[len(f.events)-1].Payload); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
		f.replaysCleanly()
	})
	t.Run("F-02 over nothing", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			vs, err := c.Join()
			if err != nil || len(vs) != 0 {
				return nil, fmt.Errorf("join: %w", err)
			}
			if _, err := c.Select(false); !errors.Is(err, engine.ErrNothingToWaitFor) {
				return nil, fmt.Errorf("select: %w", err)
			}
			if _, _, err := c.Any(); !errors.Is(err, engine.ErrNothingToWaitFor) {
				return nil, fmt.Errorf("any: %w", err)
			}
			return nil, nil
		})
		f.turn(start("0"))
		f.wantHistory("1 Started", "2 Completed()")
	})
	for _, timerFirst := range []bool{false, true} {
		for _, swapped := range []bool{false, true} {
			t.Run(fmt.Sprintf("F-03 both in one batch, timer first=%v, arguments swapped=%v", timerFirst, swapped), func(t *testing.T) {
				f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
					a, w := act(c, "A"), c.Timer(time.Minute)
					fs := []*engine.Future{a, w}
					if swapped {
						fs[0], fs[1] = w, a
					}
					i, err := c.Select(false, fs...)
					if err != nil {
						return nil, err
					}
					if fs[i] == a {
						return []byte("activity"), nil
					}
					return []byte("timer"), nil
				})
				f.turn(start("0"))
				arrivals, want := []engine.Arrival{completed(2, "1"), fired(3)}, "activity"
				if timerFirst {
					arrivals[0], arrivals[1], want = arrivals[1], arrivals[0], "timer"
				}
				f.turn(arrivals...)
				if got := string(f.events[len(f.events)-1].Payload); got != want {
					t.Fatalf("%s won, want %s", got, want)
				}
				f.replaysCleanly()
			})
		}
	}
	t.Run("F-04 late losers", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			for i := 0; i < 3; i++ {
				if w, err := c.Select(false, act(c, "A"), c.Timer(time.Minute)); err != nil || w != 0 {
					return nil, fmt.Errorf("race %d won by %d: %w", i, w, err)
				}
			}
			return c.Await(act(c, "B"))
		})
		f.turn(start("0"))
		f.turn(completed(2, "1"))
		f.turn(completed(5, "1"))
		f.turn(completed(8, "1"))
		f.turn(fired(9), fired(3))
		f.turn(fired(6), completed(11, "9"))
		if got := string(f.events[len(f.events)-1].Payload); got != "9" {
			t.Fatalf("got %q\n%s", got, show(f.events))
		}
		f.replaysCleanly()
	})
	t.Run("F-05 the activity loses", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			a := act(c, "A")
			if _, err := c.Select(false, a, c.Timer(time.Minute)); err != nil {
				return nil, err
			}
			_, err := c.Await(a)
			if !errors.Is(err, engine.ErrCancelled) {
				return nil, fmt.Errorf("loser: %w", err)
			}
			return c.Await(act(c, "B"))
		})
		f.turn(start("0"))
		if turn := f.turn(fired(3)); fmt.Sprint(turn.Cancelled) != "[2]" {
			t.Errorf("cancelled %v", turn.Cancelled)
		}
		f.turn(completed(2, "late"), completed(5, "b"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Timer(60000ms)", "4 Fired←3", "5 Act(B)", "6 Done←2", "7 Done←5", "8 Completed(b)")
		f.replaysCleanly()
	})
	t.Run("F-07 any", func(t *testing.T) {
		code := func(c *engine.Context, _ []byte) ([]byte, error) {
			_, v, err := c.Any(act(c, "A"), act(c, "B"))
			return v, err
		}
		f := newFixture(t, code)
		f.turn(start("0"))
		f.turn(failed(2, "no"))
		f.turn(completed(3, "yes"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Act(B)", "4 Fail←2", "5 Done←3", "6 Completed(yes)")
		f.replaysCleanly()
		f = newFixture(t, code)
		f.turn(start("0"))
		f.turn(failed(3, "second"), failed(2, "first"))
		if m := f.last.End().Failure.Message; !strings.Contains(m, "first") || !strings.Contains(m, "second") {
			t.Errorf("all failed: %q", m)
		}
		f.replaysCleanly()
	})
	t.Run("F-08 as completed", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			fs := []*engine.Future{act(c, "A"), act(c, "B"), act(c, "C")}
			var got []string
			for i, o := range c.AsCompleted(fs...) {
				got = append(got, fmt.Sprint(i, string(o.Value)))
				if len(got) == 2 {
					break
				}
			}
			v, err := c.Await(fs[0])
			return []byte(strings.Join(append(got, string(v)), " ")), err
		})
		f.turn(start("0"))
		f.turn(completed(4, "c"), completed(3, "b"))
		f.turn(completed(2, "a"))
		if got := string(f.events[len(f.events)-1].Payload); got != "2c 1b a" {
			t.Fatalf("got %q", got)
		}
		f.replaysCleanly()
	})
	t.Run("F-11 main returns while a branch is blocked", func(t *testing.T) {
		unwound := 0
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			c.Go(func(c *engine.Context) ([]byte, error) {
				defer func() { unwound++ }()
				return c.Await(c.ExternalEvent("never"))
			})
			return nil, func() error { _, err := call(c, "A"); return err }()
		})
		f.turn(start("0"))
		unwound = 0
		f.turn(completed(2, "1"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Sub(never)", "4 Done←2", "5 Completed()")
		if unwound != 1 {
			t.Errorf("deferred function ran %d times", unwound)
		}
		f.replaysCleanly()
	})
	t.Run("F-11 a branch panics", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			c.Go(func(c *engine.Context) ([]byte, error) { return panicInBranch() })
			_, err := call(c, "A")
			return nil, err
		})
		if turn := f.turn(start("0")); turn.Stuck == nil || !strings.Contains(turn.Stuck.Stack, "panicInBranch") {
			t.Errorf("stuck: %v", turn.Stuck)
		}
	})
}

func panicInBranch() ([]byte, error) { panic("branch") }
