package engine_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func TestRule4BothDirections(t *testing.T) {
	t.Parallel()
	names := func(names ...string) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) {
			var fs []*engine.Future
			for _, n := range names {
				fs = append(fs, act(c, n))
			}
			_, err := c.Join(fs...)
			if err == nil {
				_, err = call(c, "Later")
			}
			return nil, err
		}
	}
	t.Run("R-05 the code starts fewer", func(t *testing.T) {
		f := newFixture(t, names("A", "B"))
		f.turn(start("0"))
		f.replaceCode(names("A"))
		if nd := f.nondeterminism(event("e", "1")); nd.EventID != 3 || nd.Rule != 4 {
			t.Errorf("%v", nd)
		}
	})
	t.Run("R-05 the code starts more, with history after it", func(t *testing.T) {
		f := newFixture(t, names("A"))
		f.turn(start("0"))
		f.turn(completed(2, "1"))
		f.replaceCode(names("A", "B"))
		nd := f.nondeterminism(event("e", "1"))
		if nd.Rule != 3 || !strings.Contains(nd.Attempted, `"B"`) || nd.EventID != 3 {
			t.Errorf("%v", nd)
		}
	})
	t.Run("rule 4 the code starts more in the last round", func(t *testing.T) {
		f := newFixture(t, names("A"))
		f.turn(start("0"))
		f.replaceCode(names("A", "B"))
		if nd := f.nondeterminism(event("e", "1")); !strings.Contains(nd.Attempted, `"B"`) {
			t.Errorf("%v", nd)
		}
	})
	t.Run("R-06 the code returns before the history ends", func(t *testing.T) {
		f := newFixture(t, names("A"))
		f.turn(start("0"))
		f.turn(completed(2, "1"))
		f.replaceCode(func(c *engine.Context, _ []byte) ([]byte, error) { act(c, "A"); return nil, nil })
		if nd := f.nondeterminism(event("e", "1")); nd.Rule != 4 || nd.EventID != 3 {
			t.Errorf("%v", nd)
		}
	})
	t.Run("R-06 start without await and return", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { act(c, "A"); return nil, nil })
		turn := f.turn(start("0"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Completed()")
		if len(turn.Cancelled) != 1 || turn.Cancelled[0] != 2 {
			t.Errorf("cancelled %v, want [2]", turn.Cancelled)
		}
		f.replaysCleanly()
	})
}

func TestR07AnotherEndIsNondeterminism(t *testing.T) {
	t.Parallel()
	output := func(v string) engine.Func {
		return func(*engine.Context, []byte) ([]byte, error) { return []byte(v), nil }
	}
	fail := func(*engine.Context, []byte) ([]byte, error) { return nil, errors.New("no") }
	again := func(v string) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) { return nil, c.ContinueAsNew("", []byte(v), nil) }
	}
	waits := func(c *engine.Context, _ []byte) ([]byte, error) { v, err := call(c, "A"); return []byte(v), err }
	tests := []struct {
		name     string
		was, now engine.Func
		event    int64
	}{
		{"R-07 other output", output("1"), output("2"), 2},
		{"R-07 error for output", output("1"), fail, 2},
		{"R-07 output for error", fail, output("1"), 2},
		{"R-07 continue-as-new for completion", output("1"), again("1"), 2},
		{"R-07 other continue-as-new input", again("1"), again("2"), 2},
		{"rule 4 still waiting", output("1"), waits, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, test.was)
			f.turn(start("0"))
			f.replaysCleanly()
			f.replaceCode(test.now)
			if nd := f.nondeterminism(); nd.EventID != test.event {
				t.Errorf("%v", nd)
			}
		})
	}
}

// An operation that the code did not start has no place in the code; the place where the
// code waits instead is reported.
func TestR05AnOperationThatWasNotStartedIsReportedWithWhereTheCodeWaits(t *testing.T) {
	t.Parallel()
	both := func(c *engine.Context, _ []byte) ([]byte, error) {
		a := act(c, "A")
		act(c, "B")
		v, err := c.Await(a)
		return v, err
	}
	replaced := func(t *testing.T, now engine.Func) *engine.NondeterminismError {
		t.Helper()
		f := newFixture(t, both)
		f.turn(start("0"))
		f.replaceCode(now)
		nd := f.nondeterminism(event("e", "1"))
		if nd.Rule != 4 || nd.EventID != 3 || nd.Recorded != `ActivityScheduled("B", input nothing)` {
			t.Errorf("%v", nd)
		}
		return nd
	}
	place := regexp.MustCompile(`rules_test\.go:\d+`)
	t.Run("in the main function", func(t *testing.T) {
		nd := replaced(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			return c.Await(act(c, "A"))
		})
		if nd.Attempted != `did not start it: it waits there for activity "A" (event 2)` || !place.MatchString(nd.Location) {
			t.Errorf("%s at %s", nd.Attempted, nd.Location)
		}
	})
	t.Run("in a branch", func(t *testing.T) {
		nd := replaced(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			b := c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(act(c, "A")) })
			return c.Await(b)
		})
		if !strings.HasPrefix(nd.Attempted, "did not start it: it waits there for branch, and its branches wait at ") || !strings.HasSuffix(nd.Attempted, ` for activity "A" (event 2)`) ||
			!place.MatchString(nd.Attempted) || !place.MatchString(nd.Location) {
			t.Errorf("%s at %s", nd.Attempted, nd.Location)
		}
	})
	t.Run("in very many branches", func(t *testing.T) {
		nd := replaced(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			a := act(c, "A")
			for range 50 {
				c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(a) })
			}
			return c.Await(a)
		})
		if n := len(place.FindAllString(nd.Attempted, -1)); n != 4 || !strings.HasSuffix(nd.Attempted, " and 46 more") {
			t.Errorf("%d places: %s", n, nd.Attempted)
		}
	})
	t.Run("it has ended", func(t *testing.T) {
		nd := replaced(t, func(c *engine.Context, _ []byte) ([]byte, error) { act(c, "A"); return []byte("7"), nil })
		if nd.Attempted != "did not start it: it ended with OrchestrationCompleted(output 7)" || nd.Location != "" {
			t.Errorf("%s at %s", nd.Attempted, nd.Location)
		}
	})
	t.Run("it should have ended", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { v, err := call(c, "A"); return []byte(v), err })
		f.turn(start("0"))
		f.turn(completed(2, "1"))
		f.replaceCode(func(c *engine.Context, _ []byte) ([]byte, error) {
			a := act(c, "A")
			if _, err := c.Await(a); err != nil {
				return nil, err
			}
			e, _ := c.Promise()
			return c.Await(e)
		})
		nd := f.nondeterminism(event("e", "1"))
		if nd.Rule != 4 || nd.EventID != 4 || !strings.HasPrefix(nd.Attempted, "has not ended: it waits there") || !place.MatchString(nd.Location) {
			t.Errorf("%v", nd)
		}
	})
}

func TestRule5StructureIsCheckedBeforeCodeRuns(t *testing.T) {
	t.Parallel()
	started := history.Event{Kind: history.OrchestrationStarted, EventID: 1, Name: "Test", Start: &history.Start{ExecutionID: 1}}
	a := history.Event{Kind: history.ActivityScheduled, EventID: 2, Name: "A"}
	timer := history.Event{Kind: history.TimerCreated, EventID: 3, DurationMS: 5}
	done := func(id, source int64) history.Event {
		return history.Event{Kind: history.ActivityCompleted, EventID: id, SourceEventID: source}
	}
	end := history.Event{Kind: history.OrchestrationCompleted, EventID: 2}
	tests := []struct {
		name   string
		events []history.Event
		at     int64
		says   string
	}{
		{"R-08 source names no event", []history.Event{started, a, done(3, 0)}, 3, "not an earlier event"},
		{"R-08 source names a later event", []history.Event{started, a, done(3, 4)}, 3, "not an earlier event"},
		{"R-08 source of another kind", []history.Event{started, a, timer, done(4, 3)}, 4, "not ActivityScheduled"},
		{"R-08 source completed already", []history.Event{started, a, done(3, 2), done(4, 2)}, 4, "already completed"},
		{"R-09 does not begin with Started", []history.Event{{Kind: history.ActivityScheduled, EventID: 1, Name: "A"}}, 1, "starts with OrchestrationStarted"},
		{"R-09 gap", []history.Event{started, timer}, 3, "gap"},
		{"R-09 repeated id", []history.Event{started, a, a}, 2, "repeated event_id"},
		{"R-09 event after the terminal one", []history.Event{started, end, timer}, 3, "comes after the terminal event"},
		{"R-09 two starts", []history.Event{started, {Kind: history.OrchestrationStarted, EventID: 2, Name: "Test"}}, 2, "second OrchestrationStarted"},
		{"R-09 of another execution", []history.Event{{Kind: history.OrchestrationStarted, EventID: 1, Name: "Test", Start: &history.Start{ExecutionID: 2}}}, 1, "execution 2"},
		{"R-09 an unknown kind", []history.Event{started, {EventID: 2}}, 2, "the kind is unknown"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ran := false
			// The code would be nondeterministic too, but corruption is reported first.
			f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { ran = true; return nil, nil })
			x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: f.reg})
			defer x.Close()
			err := x.Feed(test.events, false)
			var corrupt *engine.CorruptionError
			if !errors.As(err, &corrupt) || corrupt.EventID != test.at || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want corruption at %d that says %q", err, test.at, test.says)
			}
			turn, err := x.Run(engine.Input{Arrivals: []engine.Arrival{event("e", "1")}})
			if !errors.As(err, &corrupt) || len(turn.Events) > 0 || ran {
				t.Errorf("run after corruption: %v, events %s, code ran: %v", err, show(turn.Events), ran)
			}
		})
	}
}

func TestRule2OneArrivalAtATime(t *testing.T) {
	t.Parallel()
	code := func(c *engine.Context, _ []byte) ([]byte, error) {
		a, b := c.ExternalEvent("a"), c.ExternalEvent("b")
		done := c.Go(func(c *engine.Context) ([]byte, error) {
			if _, err := c.Await(a); err != nil {
				return nil, err
			}
			return c.Await(act(c, "A"))
		})
		if _, err := c.Await(b); err != nil {
			return nil, err
		}
		if _, err := call(c, "B"); err != nil {
			return nil, err
		}
		return c.Await(done)
	}
	want := []string{"1 Started", "2 Sub(a)", "3 Sub(b)", "4 Ev(a)", "5 Act(A)", "6 Ev(b)", "7 Act(B)"}
	t.Run("R-11 in one turn", func(t *testing.T) {
		f := newFixture(t, code)
		f.turn(start("0"))
		f.turn(event("a", "1"), event("b", "2"))
		f.wantHistory(want...)
		f.replaysCleanly()
	})
	t.Run("R-11 in two turns", func(t *testing.T) {
		f := newFixture(t, code)
		f.turn(start("0"))
		f.turn(event("a", "1"))
		f.turn(event("b", "2"))
		f.wantHistory(want...)
	})
	t.Run("R-11 warm", func(t *testing.T) {
		f := newFixture(t, code)
		x := f.cold()
		defer x.Close()
		f.turnOn(x, start("0"))
		f.turnOn(x, event("a", "1"))
		f.turnOn(x, event("b", "2"))
		f.wantHistory(want...)
	})
	t.Run("R-11 parked in between", func(t *testing.T) {
		f := newFixture(t, code)
		f.turn(start("0"))
		x := f.cold()
		turn, err := x.Run(engine.Input{Park: true, NowMS: f.nowMS, Arrivals: []engine.Arrival{event("a", "1"), event("b", "2")}})
		if err != nil || !turn.Parked {
			t.Fatal(err, turn.Parked)
		}
		f.commit(turn)
		if turn := f.turn(); !turn.Recovered {
			t.Error("not recovered")
		}
		f.wantHistory("1 Started", "2 Sub(a)", "3 Sub(b)", "4 Ev(a)", "5 Ev(b)", "6 Act(A)", "7 Act(B)")
		f.replaysCleanly()
	})
	t.Run("R-10 the code returns on the first of two", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			a, b := act(c, "A"), act(c, "B")
			_, err := c.Select(true, a, b)
			return nil, err
		})
		f.turn(start("0"))
		turn := f.turn(completed(2, "1"), completed(3, "1"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Act(B)", "4 Done←2", "5 Completed()")
		if turn.Verdicts[1].Kind != engine.Late {
			t.Errorf("second is %v", turn.Verdicts[1])
		}
		f.replaysCleanly()
	})
}
