package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// nondeterminism makes a cold turn that must be stuck with a nondeterminism error.
func (f *fixture) nondeterminism(arrivals ...engine.Arrival) *engine.NondeterminismError {
	f.t.Helper()
	turn := f.turn(arrivals...)
	var nd *engine.NondeterminismError
	if turn.Stuck == nil || !errors.As(turn.Stuck, &nd) {
		f.t.Fatalf("want nondeterminism, got %v (state %v)\nhistory:\n%s", turn.Stuck, turn.State, show(f.events))
	}
	for _, e := range turn.Events {
		if e.Kind.Scheduling() || e.Kind.Terminal() {
			f.t.Fatalf("a stuck turn recorded %s", brief(&e))
		}
	}
	return nd
}

func TestRule3ClaimingIsImmediate(t *testing.T) {
	t.Parallel()
	one := func(start func(c *engine.Context) *engine.Future) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) {
			_, err := c.Await(start(c))
			if err != nil {
				return nil, err
			}
			v, err := call(c, "Next")
			return []byte(v), err
		}
	}
	activity := func(name, input string, inline bool) func(c *engine.Context) *engine.Future {
		return func(c *engine.Context) *engine.Future {
			return c.Activity(engine.ActivityCall{Name: name, Input: []byte(input), Inline: inline})
		}
	}
	timer := func(d time.Duration) func(c *engine.Context) *engine.Future {
		return func(c *engine.Context) *engine.Future { return c.Timer(d) }
	}
	child := func(name, version, instance, input string) func(c *engine.Context) *engine.Future {
		return func(c *engine.Context) *engine.Future {
			return c.Child(engine.ChildCall{Name: name, Version: version, Instance: instance, Input: []byte(input)})
		}
	}
	wait := func(name string) func(c *engine.Context) *engine.Future {
		return func(c *engine.Context) *engine.Future { return c.ExternalEvent(name) }
	}
	tests := []struct {
		name     string
		was, now func(c *engine.Context) *engine.Future
		differs  string
	}{
		{"R-04 another kind", activity("A", "1", false), timer(time.Second), "kind"},
		{"R-04 another name", activity("A", "1", false), activity("B", "1", false), "name"},
		{"R-04 another input", activity("A", "1", false), activity("A", "2", false), "input"},
		{"R-04 another version of a child", child("C", "1", "", "1"), child("C", "2", "", "1"), "version"},
		{"R-04 another child instance", child("C", "", "x", "1"), child("C", "", "y", "1"), "instance"},
		{"R-04 a child with an id of its own for a derived one", child("C", "", "", "1"), child("C", "", "y", "1"), "instance"},
		{"R-04 another event name", wait("e"), wait("E"), "name"},
		{"R-24 another duration", timer(time.Second), timer(2 * time.Second), "duration"},
		{"R-24 inline for queued", activity("A", "1", false), activity("A", "1", true), "inline"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, one(test.was))
			f.turn(start("0"))
			f.replaceCode(one(test.now))
			nd := f.nondeterminism(event("poke", "1"))
			if nd.EventID != 2 || nd.Rule != 3 {
				t.Errorf("names event %d and rule %d, want event 2, rule 3", nd.EventID, nd.Rule)
			}
			if !strings.Contains(nd.Attempted, test.differs) {
				t.Errorf("says %q, want the difference %q", nd.Attempted, test.differs)
			}
			if !strings.Contains(nd.Location, "claim_test.go:") {
				t.Errorf("location is %q, want one in this file", nd.Location)
			}
			// The right code continues from there.
			f.replaceCode(one(test.was))
			if turn := f.turn(); turn.Stuck != nil || !turn.Recovered {
				t.Errorf("right code: stuck %v, recovered %v", turn.Stuck, turn.Recovered)
			}
			f.replaysCleanly()
		})
	}
}

func TestR12SystemCallsAreRecordedOnce(t *testing.T) {
	t.Parallel()
	runs := 0
	var first, second string
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		now, err := c.Now()
		if err != nil {
			return nil, err
		}
		a, _ := c.GUID()
		b, _ := c.GUID()
		v, err := c.SideEffect("dice", func() ([]byte, error) { runs++; return []byte("4"), nil })
		if err != nil {
			return nil, err
		}
		first, second = a, b
		_ = c.Trace(0, "hello")
		if _, err := call(c, "A"); err != nil {
			return nil, err
		}
		return json.Marshal([]any{now.UnixMilli(), a, b, string(v)})
	}
	f := newFixture(t, code)
	f.turn(start("0"))
	a, b := first, second
	if a == b || len(a) != 36 {
		t.Errorf("two GUIDs in one turn: %q and %q", a, b)
	}
	f.turn(completed(7, "1"))
	f.wantHistory("1 Started", "2 Sys(now)", "3 Sys(guid)", "4 Sys(guid)", "5 Sys(side_effect)", "6 Sys(trace)", "7 Act(A)", "8 Done←7",
		"9 Completed("+string(f.events[8].Payload)+")")
	if first != a || second != b || runs != 1 {
		t.Errorf("replay gave GUIDs %q, %q (was %q, %q) and ran the side effect %d times in all", first, second, a, b, runs)
	}
	f.replaysCleanly()

	f.replaceCode(func(c *engine.Context, _ []byte) ([]byte, error) {
		_, err := c.GUID()
		return nil, err
	})
	f.events = f.events[:7]
	if nd := f.nondeterminism(); nd.EventID != 2 {
		t.Errorf("R-12 GUID for Now: names event %d, want 2", nd.EventID)
	}
}

func TestR13DurableCallInsideASideEffectIsATypedError(t *testing.T) {
	t.Parallel()
	var inner error
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		_, err := c.SideEffect("bad", func() ([]byte, error) {
			_, inner = c.Await(act(c, "Charge"))
			return nil, nil
		})
		return nil, err
	})
	f.turn(start("0"))
	f.wantHistory("1 Started", "2 Sys(side_effect)", "3 Completed()")
	var nested *engine.MisuseError
	if !errors.Is(inner, engine.ErrNested) || !errors.As(inner, &nested) || nested.Call != "activity Charge" || nested.Inside != `side effect "bad"` {
		t.Errorf("inner call: %v", inner)
	}
	f.replaysCleanly()
}

type order struct {
	ID   string `json:"id"`
	Gift bool   `json:"gift"`
}

func TestR26AFieldAddedToAnInputTypeDoesNotPark(t *testing.T) {
	t.Parallel()
	normalize := func(p []byte) ([]byte, error) {
		var o order
		if err := json.Unmarshal(p, &o); err != nil {
			return nil, err
		}
		return json.Marshal(o)
	}
	code := func(input string) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) {
			return c.Await(c.Activity(engine.ActivityCall{Name: "A", Input: []byte(input), Normalize: normalize}))
		}
	}
	f := newFixture(t, code(`{"id":"1"}`))
	f.turn(start("0"))
	f.replaceCode(code(`{"id":"1","gift":false}`))
	f.replaysCleanly()
	f.replaceCode(code(`{"id":"2","gift":false}`))
	if nd := f.nondeterminism(); nd.EventID != 2 || !strings.Contains(nd.Attempted, "input differs") {
		t.Errorf("a changed value: %v", nd)
	}
}

func TestR02EqualOperationsAreTwo(t *testing.T) {
	t.Parallel()
	// The first bug that the papers fix: an operation with the same name and input was
	// adopted twice.
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		a, b := act(c, "A"), act(c, "A")
		vs, err := c.Join(a, b)
		if err != nil {
			return nil, err
		}
		return []byte(string(vs[0]) + string(vs[1])), nil
	})
	f.turn(start("0"))
	f.turn(completed(3, "2"))
	f.turn(completed(2, "1"))
	f.wantHistory("1 Started", "2 Act(A)", "3 Act(A)", "4 Done←3", "5 Done←2", "6 Completed(12)")
	f.replaysCleanly()
}
