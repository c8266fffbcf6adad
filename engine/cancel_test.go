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

func child(source int64, result string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.SubOrchestrationCompleted, SourceEventID: source, Payload: []byte(result)}, Proven: true}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	t.Run("K-01 while an activity is awaited", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			_, err := call(c, "A")
			return nil, err
		})
		f.turn(start("0"))
		turn := f.turn(cancelRequest("enough"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Failed(cancelled)")
		if fmt.Sprint(turn.Cancelled) != "[2]" || !strings.Contains(turn.End().Failure.Message, "enough") {
			t.Errorf("cancelled %v, %q", turn.Cancelled, turn.End().Failure.Message)
		}
		f.replaysCleanly()
	})
	t.Run("K-02 clean-up in a shielded scope", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			_, err := call(c, "A")
			if !errors.Is(err, engine.ErrCancelled) {
				return nil, fmt.Errorf("not cancelled: %w", err)
			}
			if _, err := call(c, "Refused"); !errors.Is(err, engine.ErrCancelled) {
				return nil, fmt.Errorf("call in a cancelled scope: %w", err)
			}
			s := c.Shield()
			if _, err := s.Await(act(s, "Undo")); err != nil {
				return nil, err
			}
			if _, err := s.Await(s.Timer(time.Second)); err != nil {
				return nil, err
			}
			return nil, err
		})
		f.turn(start("0"))
		f.turn(cancelRequest("x"))
		f.turn(completed(4, "1"))
		f.turn(fired(6))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Act(Undo)", "5 Done←4", "6 Timer(1000ms)", "7 Fired←6", "8 Failed(cancelled)")
		f.replaysCleanly()
	})
	t.Run("a wait in the context of a branch that has returned", func(t *testing.T) {
		// The scope was forgotten when the branch returned with nothing open. The
		// cancellation must still find a coroutine that waits in it.
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			waits := act(c.Shield(), "A")
			scope, cancel := c.WithCancel()
			var left *engine.Context
			c.Await(scope.Go(func(c *engine.Context) ([]byte, error) { left = c; return nil, nil }))
			waiter := c.Go(func(*engine.Context) ([]byte, error) { return left.Await(waits) })
			c.Await(c.Timer(time.Second))
			cancel("over")
			_, err := c.Await(waiter)
			return nil, err
		})
		f.turn(start("0"))
		turn := f.turn(fired(3))
		f.wantHistory("1 Started", "2 Act(A)", "3 Timer(1000ms)", "4 Fired←3", "5 Failed(application)")
		if !strings.Contains(turn.End().Failure.Message, "over") {
			t.Errorf("the failure is %q", turn.End().Failure.Message)
		}
		f.replaysCleanly()
	})
	t.Run("K-03 the code decides", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			_, err := call(c, "A")
			return []byte(fmt.Sprint(err != nil)), nil
		})
		f.turn(start("0"))
		f.turn(cancelRequest("x"), cancelRequest("y"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Completed(true)")
		f.replaysCleanly()
	})
	t.Run("K-04 three cancels are one", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			s := c.Shield()
			_, err := s.Await(act(s, "A"))
			return nil, err
		})
		f.turn(start("0"))
		turn := f.turn(cancelRequest("first"), cancelRequest("second"), cancelRequest("third"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested")
		if turn.Verdicts[1].Kind != engine.Duplicate || turn.Verdicts[1].EventID != 3 || f.events[2].Reason != "first" {
			t.Errorf("verdicts %v, reason %q", turn.Verdicts, f.events[2].Reason)
		}
	})
	t.Run("K-05 a cancel immediately after the start", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			v, err := call(c, "A")
			return []byte(v), err
		})
		turn := f.turn(start("0"), cancelRequest("x"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Failed(cancelled)")
		if fmt.Sprint(turn.Cancelled) != "[2]" {
			t.Errorf("cancelled %v", turn.Cancelled)
		}
	})
	t.Run("K-08 order decides", func(t *testing.T) {
		code := func(c *engine.Context, _ []byte) ([]byte, error) {
			v, err := call(c, "A")
			_, next := call(c, "B")
			return []byte(fmt.Sprintf("%s %v %v", v, errors.Is(err, engine.ErrCancelled), errors.Is(next, engine.ErrCancelled))), nil
		}
		f := newFixture(t, code)
		f.turn(start("0"))
		f.turn(completed(2, "1"), cancelRequest("x"))
		f.wantHistory("1 Started", "2 Act(A)", "3 Done←2", "4 Act(B)", "5 CancelRequested", "6 Completed(1 false true)")
		f.replaysCleanly()
		f = newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
			out, err := code(c, in)
			s := c.Shield()
			_, _ = s.Await(s.ExternalEvent("go"))
			return out, err
		})
		f.turn(start("0"))
		f.turn(cancelRequest("x"), completed(2, "1"))
		f.turn(event("go", ""))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Sub(go)", "5 Done←2", "6 Ev(go)", "7 Completed( true true)")
		f.replaysCleanly()
	})
	t.Run("K-09 a scope, and scopes inside it", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			outside := act(c, "Outside")
			s, cancel := c.WithCancel()
			inner, _ := s.WithCancel()
			a, b := act(s, "A"), act(inner, "B")
			branch := s.Go(func(c *engine.Context) ([]byte, error) { return c.Await(act(c, "InBranch")) })
			if _, err := c.Await(c.ExternalEvent("go")); err != nil {
				return nil, err
			}
			cancel("scope over")
			for _, f := range []*engine.Future{a, b, branch} {
				if _, err := c.Await(f); !errors.Is(err, engine.ErrCancelled) {
					return nil, fmt.Errorf("%v is not cancelled: %w", f, err)
				}
			}
			if act(s, "Never").EventID() != 0 {
				return nil, errors.New("recorded in a cancelled scope")
			}
			return c.Await(outside)
		})
		f.turn(start("0"))
		if turn := f.turn(event("go", "")); fmt.Sprint(turn.Cancelled) != "[3 4 6]" {
			t.Errorf("cancelled %v\n%s", turn.Cancelled, show(f.events))
		}
		f.turn(completed(2, "out"))
		f.wantHistory("1 Started", "2 Act(Outside)", "3 Act(A)", "4 Act(B)", "5 Sub(go)", "6 Act(InBranch)", "7 Ev(go)", "8 Done←2", "9 Completed(out)")
		f.replaysCleanly()
	})
}

// An execution ends as cancelled only if the instance itself was cancelled, by a request
// that the code has seen.
func TestK01OnlyACancelledInstanceEndsAsCancelled(t *testing.T) {
	t.Parallel()
	fails := func(kind string, failure string, source int64) engine.Arrival {
		k := history.ActivityFailed
		if kind == "child" {
			k = history.SubOrchestrationFailed
		}
		return engine.Arrival{Event: history.Event{Kind: k, SourceEventID: source,
			Failure: &history.Failure{Kind: failure, Message: "as it was", Source: "Deep", Code: "c"}}, Proven: true}
	}
	calls := func(c *engine.Context, _ []byte) ([]byte, error) { return c.Await(act(c, "A")) }
	child := func(c *engine.Context, _ []byte) ([]byte, error) {
		return c.Await(c.Child(engine.ChildCall{Name: "C"}))
	}
	scope := func(c *engine.Context, _ []byte) ([]byte, error) {
		inner, cancel := c.WithCancel()
		f := act(inner, "A")
		_ = cancel("as it was")
		return c.Await(f)
	}
	loser := func(c *engine.Context, _ []byte) ([]byte, error) {
		a, e := act(c, "A"), c.ExternalEvent("e")
		if _, err := c.Select(false, e, a); err != nil {
			return nil, err
		}
		return c.Await(a)
	}
	shielded := func(c *engine.Context, _ []byte) ([]byte, error) {
		s := c.Shield()
		return s.Await(act(s, "A"))
	}
	for name, test := range map[string]struct {
		code     engine.Func
		arrivals []engine.Arrival
		want     string
		old      string // the kind that an earlier build recorded
	}{
		"an activity that was stopped":                        {calls, []engine.Arrival{fails("activity", history.FailureCancelled, 2)}, history.FailureApplication, history.FailureCancelled},
		"a child that was cancelled":                          {child, []engine.Arrival{fails("child", history.FailureCancelled, 2)}, history.FailureApplication, history.FailureCancelled},
		"a child that was terminated":                         {child, []engine.Arrival{fails("child", history.FailureTerminated, 2)}, history.FailureApplication, history.FailureTerminated},
		"a scope that the code cancelled":                     {scope, nil, history.FailureApplication, history.FailureCancelled},
		"the loser of a select":                               {loser, []engine.Arrival{event("e", "1")}, history.FailureApplication, history.FailureCancelled},
		"the instance was cancelled":                          {calls, []engine.Arrival{cancelRequest("as it was")}, history.FailureCancelled, ""},
		"cancelled, and the activity was stopped":             {shielded, []engine.Arrival{cancelRequest("x"), fails("activity", history.FailureCancelled, 2)}, history.FailureCancelled, ""},
		"a request that arrives after the end":                {calls, []engine.Arrival{fails("activity", history.FailureCancelled, 2), cancelRequest("late")}, history.FailureApplication, history.FailureCancelled},
		"another failure of an activity that was cancelled":   {shielded, []engine.Arrival{cancelRequest("x"), fails("activity", history.FailureLost, 2)}, history.FailureLost, ""},
		"another failure of an activity that was not stopped": {calls, []engine.Arrival{fails("activity", history.FailureLost, 2)}, history.FailureLost, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, test.code)
			f.turn(start("0"))
			if len(test.arrivals) > 0 {
				f.turn(test.arrivals...)
			}
			end := &f.events[len(f.events)-1]
			says := "as it was"
			if name == "the loser of a select" {
				says = "another operation of the select was first"
			}
			if end.Kind != history.OrchestrationFailed || end.Failure.Kind != test.want || !strings.Contains(end.Failure.Message, says) {
				t.Fatalf("it ended with %+v", end.Failure)
			}
			f.replaysCleanly()
			// Histories of an earlier build keep their meaning; a kind that no build
			// recorded is a different end.
			for _, kind := range []string{test.old, history.FailureLost + "?"} {
				if kind == "" {
					continue
				}
				failure := *end.Failure
				failure.Kind = kind
				end.Failure = &failure
				if kind == test.old {
					f.replaysCleanly()
				} else if nd := f.nondeterminism(); nd.Rule != 4 || nd.EventID != end.EventID {
					t.Errorf("another kind of failure: %v", nd)
				}
			}
		})
	}
}

func TestSubOrchestrations(t *testing.T) {
	t.Parallel()
	t.Run("P-01 derived ids differ and stay", func(t *testing.T) {
		var ids []string
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			a, b := c.Child(engine.ChildCall{Name: "C"}), c.Child(engine.ChildCall{Name: "C"})
			ids = []string{a.Instance(), b.Instance()}
			vs, err := c.Join(a, b)
			if err != nil {
				return nil, err
			}
			return append(vs[0], vs[1]...), nil
		})
		f.turn(start("0"))
		if fmt.Sprint(ids) != "[i/1/2 i/1/3]" {
			t.Errorf("ids %v", ids)
		}
		f.turn(child(3, "b"), child(2, "a"))
		f.wantHistory("1 Started", "2 Child(C)", "3 Child(C)", "4 Done←3", "5 Done←2", "6 Completed(ab)")
		f.replaysCleanly()
	})
	t.Run("P-02 a child's failure", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			_, err := c.Await(c.Child(engine.ChildCall{Name: "C", Instance: "mine"}))
			var fe *engine.FailureError
			if !errors.As(err, &fe) {
				return nil, err
			}
			return []byte(fe.Failure.Kind + " " + fe.Failure.Instance), nil
		})
		f.turn(start("0"))
		f.turn(engine.Arrival{Event: history.Event{Kind: history.SubOrchestrationFailed, SourceEventID: 2,
			Failure: &history.Failure{Kind: history.FailureTerminated, Instance: "mine", Message: "m"}}, Proven: true})
		f.wantHistory("1 Started", "2 Child(C)", "3 Fail←2", "4 Completed(terminated mine)")
	})
	t.Run("P-06 an unawaited child continues to run", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			c.Child(engine.ChildCall{Name: "C"})
			return nil, nil
		})
		if turn := f.turn(start("0")); len(turn.Cancelled) != 0 {
			t.Errorf("cancelled %v", turn.Cancelled)
		}
	})
	t.Run("P-07 detached", func(t *testing.T) {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			id, err := c.Detach(engine.ChildCall{Name: "D", Input: []byte("1")})
			if err != nil {
				return nil, err
			}
			if _, err := call(c, "A"); err != nil {
				return nil, err
			}
			return []byte(id), nil
		})
		f.turn(start("0"))
		f.turn(completed(3, "1"))
		f.wantHistory("1 Started", "2 Chained(D)", "3 Act(A)", "4 Done←3", "5 Completed(i/1/2)")
		f.replaysCleanly()
	})
}

func TestJudge(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		c.Activity(engine.ActivityCall{Name: "In", Inline: true})
		_, err := c.Join(act(c, "A"), c.Timer(time.Hour))
		return nil, err
	})
	f.turn(start("0"))
	f.turn(engine.Arrival{Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: 2}, Inline: true}, completed(3, "1"))
	f.wantHistory("1 Started", "2 inline Act(In)", "3 Act(A)", "4 Timer(3600000ms)", "5 Done←2", "6 Done←3")
	another := start("0")
	another.Event.Start = &history.Start{StartID: "other"}
	older, newer := completed(3, "1"), completed(3, "1")
	older.ExecutionID, newer.ExecutionID = -1, 2
	forged := fired(4)
	forged.Proven = false
	at := func(a engine.Arrival, ms int64) engine.Arrival { a.SourceAtMS = ms; return a }
	timerAt := f.events[3].AtMS
	tests := []struct {
		name string
		a    engine.Arrival
		want engine.VerdictKind
		at   int64
	}{
		{"older execution", older, engine.Late, 0},
		{"newer execution", newer, engine.Misaddressed, 0},
		{"no such source", completed(99, "1"), engine.Misaddressed, 0},
		{"source of another kind", completed(4, "1"), engine.Misaddressed, 0},
		{"wrong token", forged, engine.Forged, 0},
		{"no token", engine.Arrival{Event: fired(4).Event}, engine.Forged, 0},
		{"already completed", completed(3, "2"), engine.Duplicate, 6},
		{"completion from outside for an inline activity", completed(2, "2"), engine.Misaddressed, 0},
		{"the same start", start("0"), engine.Duplicate, 1},
		{"another start", another, engine.Exists, 0},
		{"M-19 an event that was lost in a restore: another has its id", at(fired(4), timerAt-1), engine.Late, 0},
		{"M-19 no event has its id", at(completed(99, "1"), 7), engine.Late, 0},
		{"M-19 an event of another kind has its id", at(completed(4, "1"), timerAt-1), engine.Late, 0},
		{"M-19 the one that has its id is completed", at(completed(3, "2"), timerAt-1), engine.Late, 0},
		{"M-19 it was in an execution that does not exist", at(newer, 7), engine.Late, 0},
		{"the time of an event is no proof", at(forged, timerAt), engine.Forged, 0},
		{"good, and the message says when the timer was created", at(fired(4), timerAt), engine.Recorded, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := f.cold()
			if v := x.Judge(test.a); v.Kind != test.want || v.EventID != test.at {
				t.Errorf("judged %v at %d (%s), want %v at %d", v.Kind, v.EventID, v.Reason, test.want, test.at)
			}
			before := len(f.events)
			if turn := f.turn(test.a); test.want != engine.Recorded && len(f.events) != before {
				t.Errorf("recorded %s", show(turn.Events))
			}
		})
	}
}
