package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func TestRule13ContinueAsNewLosesNothing(t *testing.T) {
	t.Parallel()
	names := func(events []history.Event) string {
		var s []string
		for i := range events {
			s = append(s, brief(&events[i])+":"+string(events[i].Payload))
		}
		return fmt.Sprint(s)
	}
	next := func(t *testing.T, f *fixture, turn engine.Turn) *fixture {
		t.Helper()
		if turn.State != engine.Ended || len(turn.Next) == 0 {
			t.Fatalf("did not continue: %v, stuck %v", turn.State, turn.Stuck)
		}
		f.replaysCleanly()
		return &fixture{t: t, reg: f.reg, name: f.name, events: turn.Next, parked: true, nowMS: f.nowMS}
	}
	runNext := func(t *testing.T, f *fixture, execution int64, arrivals ...engine.Arrival) engine.Turn {
		t.Helper()
		x := engine.New(engine.Config{Instance: "i", ExecutionID: execution, Registry: f.reg})
		defer x.Close()
		if err := x.Feed(f.events, f.parked); err != nil {
			t.Fatal(err)
		}
		return f.turnOn(x, arrivals...)
	}

	t.Run("N-01 each execution has its own input and ids from 1", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if n := string(in); n != "3" {
				return nil, c.ContinueAsNew("", []byte(fmt.Sprint(int(n[0]-'0')+1)), nil)
			}
			return []byte("end"), nil
		})
		turn := f.turn(start("0"))
		f.wantHistory("1 Started", "2 ContinuedAsNew(1)")
		for execution := int64(2); execution <= 4; execution++ {
			f = next(t, f, turn)
			if s := f.events[0].Start; s.ExecutionID != execution || s.StartID != "s1" || s.Secret != "" {
				t.Fatalf("start of execution %d: %+v", execution, s)
			}
			turn = runNext(t, f, execution)
		}
		if string(turn.End().Payload) != "end" {
			t.Fatalf("ended with %v", turn.End())
		}
	})
	t.Run("N-02 unconsumed events and arrivals after the end are carried over", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "0" {
				if _, err := c.Await(c.ExternalEvent("go")); err != nil {
					return nil, err
				}
				return nil, c.ContinueAsNew("", []byte("1"), nil)
			}
			_, err := call(c, "A")
			return nil, err
		})
		late := event("c", "3")
		late.Event.SenderID = "three"
		again := late
		turn := f.turn(start("0"), event("b", "2"), event("a", "1"), event("go", "g"), late, cancelRequest("stop"), again, cancelRequest("twice"), completed(1, "x"))
		f.wantHistory("1 Started", "2 Sub(go)", "3 Ev(b)", "4 Ev(a)", "5 Ev(go)", "6 ContinuedAsNew(1)")
		if got, want := names(turn.Next), "[1 Started:1 2 Ev(b):2 3 Ev(a):1 4 Ev(c):3 5 CancelRequested:]"; got != want {
			t.Fatalf("next starts with %s, want %s", got, want)
		}
		var kinds []string
		for _, v := range turn.Verdicts {
			kinds = append(kinds, v.Kind.String())
		}
		if got, want := fmt.Sprint(kinds), "[recorded recorded recorded recorded recorded recorded duplicate duplicate late]"; got != want {
			t.Errorf("verdicts %s, want %s", got, want)
		}
		f = next(t, f, turn)
		turn = runNext(t, f, 2, again)
		if turn.Verdicts[0].Kind != engine.Late && turn.Verdicts[0].Kind != engine.Duplicate {
			t.Errorf("E-08 the same sender id after the continue-as-new: %v", turn.Verdicts[0])
		}
		if end := turn.End(); end == nil || end.Failure.Kind != history.FailureCancelled {
			t.Errorf("the cancel was not carried over: %v", turn.State)
		}
	})
	t.Run("E-08 a sender id consumed before the continue-as-new", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if _, err := c.Await(c.ExternalEvent("e")); err != nil {
				return nil, err
			}
			return nil, c.ContinueAsNew("", in, nil)
		})
		sent := event("e", "1")
		sent.Event.SenderID = "s"
		turn := f.turn(start("0"), sent)
		f = next(t, f, turn)
		turn = runNext(t, f, 2, sent)
		if turn.Verdicts[0].Kind != engine.Duplicate || turn.State != engine.Waiting {
			t.Errorf("verdict %v, state %v", turn.Verdicts[0], turn.State)
		}
	})
	t.Run("N-02 events parked in the last round", func(t *testing.T) {
		broken := true
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if _, err := c.Await(c.ExternalEvent("go")); err != nil {
				return nil, err
			}
			if broken {
				panic("broken")
			}
			return nil, c.ContinueAsNew("", in, nil)
		})
		f.turn(start("0"))
		f.turn(event("go", "1"), event("x", "2"), cancelRequest("stop"))
		broken = false
		turn := f.turn(event("y", "3"))
		if got, want := names(turn.Next), "[1 Started:0 2 Ev(x):2 3 CancelRequested: 4 Ev(y):3]"; got != want {
			t.Fatalf("next starts with %s, want %s", got, want)
		}
		f.wantHistory("1 Started", "2 Sub(go)", "3 Ev(go)", "4 Ev(x)", "5 CancelRequested", "6 ContinuedAsNew(0)")
		f.replaysCleanly()
	})
	t.Run("rule 13 a cancel that the code has seen is not carried over", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if _, err := call(c, "A"); !errors.Is(err, engine.ErrCancelled) {
				return nil, fmt.Errorf("not cancelled: %w", err)
			}
			return nil, c.ContinueAsNew("", in, nil)
		})
		f.turn(start("0"))
		turn := f.turn(cancelRequest("stop"))
		if got, want := names(turn.Next), "[1 Started:0]"; got != want {
			t.Fatalf("next starts with %s, want %s", got, want)
		}
	})
	t.Run("N-03 open activities and timers are closed", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			act(c, "A")
			c.Timer(1000000)
			c.Child(engine.ChildCall{Name: "C"})
			if _, err := c.Await(c.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, c.ContinueAsNew("", in, nil)
		})
		f.turn(start("0"))
		turn := f.turn(event("go", ""))
		if fmt.Sprint(turn.Cancelled) != "[2 3]" {
			t.Errorf("cancelled %v, want the activity and the timer", turn.Cancelled)
		}
	})
	t.Run("the custom status is carried over", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "0" {
				c.SetState(history.ListedState, []byte(`"first"`))
				c.SetState(history.ListedState, []byte(`"second"`))
				return nil, c.ContinueAsNew("", []byte("1"), nil)
			}
			v, err := call(c, "A")
			return []byte(v), err
		})
		turn := f.turn(start("0"))
		if string(history.StateNamed(turn.States, history.ListedState)) != `"second"` || !turn.StatesChanged {
			t.Errorf("status %s, changed %v", turn.States, turn.StatesChanged)
		}
		f = next(t, f, turn)
		if turn = runNext(t, f, 2); string(history.StateNamed(turn.States, history.ListedState)) != `"second"` || turn.StatesChanged {
			t.Errorf("next: status %s, changed %v", turn.States, turn.StatesChanged)
		}
	})
	t.Run("search attributes are carried over", func(t *testing.T) {
		text := history.SearchTextOf
		f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "0" {
				for _, set := range []history.SearchAttributes{{"a": text("1"), "b": text("1")}, {"a": text("2")}, {"b": {}}} {
					if err := c.SetSearchAttributes(set); err != nil {
						return nil, err
					}
				}
				return nil, c.ContinueAsNew("", []byte("1"), nil)
			}
			v, err := call(c, "A")
			return []byte(v), err
		})
		first := start("0")
		first.Event.Start.SearchAttributes = history.SearchAttributes{"start": text("s")}
		turn := f.turn(first)
		if got := turn.Search.String(); got != `a = "2", start = "s"` {
			t.Errorf("attributes %s", got)
		}
		if got := turn.SearchSet.String(); got != `a = "2", b = nothing` {
			t.Errorf("set were %s", got)
		}
		f = next(t, f, turn)
		if turn = runNext(t, f, 2); turn.Search.String() != `a = "2", start = "s"` || len(turn.SearchSet) > 0 {
			t.Errorf("next: attributes %s, set were %s", turn.Search, turn.SearchSet)
		}
	})
}

func TestV03ContinueAsNewVersion(t *testing.T) {
	t.Parallel()
	code := func(version string) engine.Func {
		return func(c *engine.Context, in []byte) ([]byte, error) { return nil, c.ContinueAsNew(version, in, nil) }
	}
	for asked, want := range map[string]string{"": "1.10", "1.2": "1.2"} {
		reg, err := engine.NewRegistry(
			engine.Orchestration{Name: "Test", Version: "1.10", Func: code(asked)},
			engine.Orchestration{Name: "Test", Version: "1.2", Func: code(asked)})
		if err != nil {
			t.Fatal(err)
		}
		if newest, _ := reg.Newest("Test"); newest.Version != "1.10" {
			t.Fatalf("V-01: newest is %s", newest.Version)
		}
		f := &fixture{t: t, reg: reg, name: "Test"}
		a := start("0")
		a.Event.Version = "1.2"
		if turn := f.turn(a); turn.Next[0].Version != want {
			t.Errorf("asked for %q, next is %q, want %q", asked, turn.Next[0].Version, want)
		}
	}
}

func TestAContinueAsNewWhoseErrorIsDroppedIsStuck(t *testing.T) {
	t.Parallel()
	again := func(c *engine.Context) error { return c.ContinueAsNew("", []byte("1"), nil) }
	for name, code := range map[string]engine.Func{
		"and the code completes": func(c *engine.Context, _ []byte) ([]byte, error) {
			again(c)
			_, err := call(c, "A")
			return []byte("end"), err
		},
		"in a deferred function": func(c *engine.Context, _ []byte) ([]byte, error) {
			defer again(c)
			_, err := call(c, "A")
			return []byte("end"), err
		},
		"in a branch": func(c *engine.Context, _ []byte) ([]byte, error) {
			branch := c.Go(func(c *engine.Context) ([]byte, error) { return nil, again(c) })
			c.Settle(branch)
			_, err := call(c, "A")
			return []byte("end"), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, warm := range []bool{true, false} {
				f := newFixture(t, code)
				x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: f.reg})
				defer x.Close()
				f.turnOn(x, start("0"))
				if !warm {
					x = engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: f.reg})
					defer x.Close()
					if err := x.Feed(f.events, false); err != nil {
						t.Fatal(err)
					}
				}
				turn := f.turnOn(x, completed(2, "1"))
				if turn.State != engine.Stuck || turn.Stuck.Kind != engine.StuckPanic || !strings.Contains(turn.Stuck.Message, "ContinueAsNew at ") ||
					!strings.Contains(turn.Stuck.Message, "continue_as_new_test.go:") {
					t.Fatalf("warm %v: state %d, stuck %v", warm, turn.State, turn.Stuck)
				}
			}
		})
	}
	for name, c := range map[string]struct {
		code engine.Func
		want string
	}{
		"a wrapped continue-as-new continues": {func(c *engine.Context, _ []byte) ([]byte, error) {
			again(c) // a second call
			return nil, fmt.Errorf("next month: %w", again(c))
		}, "2 ContinuedAsNew(1)"},
		"another error is reported": {func(c *engine.Context, _ []byte) ([]byte, error) {
			return nil, fmt.Errorf("not wrapped: %v", again(c))
		}, "2 Failed(application)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, c.code)
			f.turn(start("0"))
			f.wantHistory("1 Started", c.want)
			f.replaysCleanly()
		})
	}
	t.Run("an end that an earlier build recorded replays", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { return []byte("end"), nil })
		f.turn(start("0"))
		f.reg = newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { again(c); return []byte("end"), nil }).reg
		f.replaysCleanly()
	})
}
