package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// Rule 1: one cursor visits every event once, in order. Feeding a history in any split
// gives the same result as feeding it at once.
func TestRule1OneCursor(t *testing.T) {
	t.Parallel()
	var saw []string
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		saw = nil
		for i := 0; i < 3; i++ {
			v, err := call(c, "A")
			if err != nil {
				return nil, err
			}
			saw = append(saw, v)
		}
		return nil, nil
	})
	f.turn(start("0"))
	for i := range 3 {
		f.turn(completed(int64(2+2*i), fmt.Sprint(i)))
	}
	f.wantHistory("1 Started", "2 Act(A)", "3 Done←2", "4 Act(A)", "5 Done←4", "6 Act(A)", "7 Done←6", "8 Completed()")
	for cut := 0; cut <= len(f.events); cut++ {
		x := engine.New(engine.Config{Instance: "i", ExecutionID: 1, Registry: f.reg})
		for _, part := range [][]history.Event{f.events[:cut], f.events[cut:]} {
			if err := x.Feed(part, false); err != nil {
				t.Fatal(err)
			}
		}
		turn, err := x.Run(engine.Input{})
		if err != nil || turn.Stuck != nil || len(turn.Events) != 0 || turn.State != engine.Ended || fmt.Sprint(saw) != "[0 1 2]" {
			t.Errorf("cut at %d: %v, %v, events %s, saw %v", cut, err, turn.Stuck, show(turn.Events), saw)
		}
		x.Close()
	}
}

// Rule 6: futures are ordered by the event whose visit made them ready, whatever the
// order of arguments.
func TestRule6OrderIsHistorys(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		a, b, gate := act(c, "A"), act(c, "B"), c.ExternalEvent("gate")
		if _, err := c.Await(gate); err != nil {
			return nil, err
		}
		// Both are ready now.
		i, err := c.Select(true, a, b)
		return []byte(fmt.Sprint(i)), err
	})
	f.turn(start("0"))
	f.turn(completed(3, "b"), completed(2, "a"))
	f.turn(event("gate", ""))
	if got := string(f.events[len(f.events)-1].Payload); got != "1" {
		t.Errorf("select took %s, want the one that history completed first", got)
	}
	f.replaysCleanly()
}

// Rule 7: external events match by name, first in first out; each is consumed once. A
// wait takes its event even if the code never reads it.
func TestRule7ExternalEventsMatchByName(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		c.ExternalEvent("e") // never read
		return c.Await(c.ExternalEvent("e"))
	})
	f.turn(start("0"))
	f.turn(event("e", "first"))
	f.turn(event("e", "second"))
	f.wantHistory("1 Started", "2 Sub(e)", "3 Sub(e)", "4 Ev(e)", "5 Ev(e)", "6 Completed(second)")
	f.replaysCleanly()
}

// Rule 8: select cancels the losers unless told to keep them, in the order of scheduling.
func TestRule8SelectCancelsTheLosers(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
			a, w, k := act(c, "A"), c.Timer(time.Hour), c.Child(engine.ChildCall{Name: "C"})
			wait := c.ExternalEvent("e")
			i, err := c.Select(keep, k, wait, w, a)
			if err != nil || i != 1 {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
			return c.Await(c.ExternalEvent("end"))
		})
		f.turn(start("0"))
		turn := f.turn(event("e", ""))
		want := "[2 3 4]"
		if keep {
			want = "[]"
		}
		if got := fmt.Sprint(turn.Cancelled); got != want {
			t.Errorf("keep %v: cancelled %s, want %s", keep, got, want)
		}
		f.turn(completed(2, "late"), fired(3), child(4, "late"))
		f.turn(event("end", "x"))
		f.replaysCleanly()
	}
}

// Rule 9 is tested by TestR03AwaitOrderAgainstCompletionOrder and the papers' scripts.
// This test covers the exemptions: completions of cancelled operations, and events that
// are kept for later waits.
func TestRule9StrictModeExempts(t *testing.T) {
	t.Parallel()
	f := newFixtureOf(t, engine.Orchestration{Name: "Test", Strict: true, Func: func(c *engine.Context, _ []byte) ([]byte, error) {
		w := c.Timer(time.Hour)
		if _, err := c.Select(false, w, act(c, "A")); err != nil {
			return nil, err
		}
		if _, err := call(c, "B"); err != nil {
			return nil, err
		}
		return c.Await(c.ExternalEvent("later"))
	}})
	f.turn(start("0"))
	f.turn(completed(3, "1"))
	f.turn(fired(2), event("later", "kept"))
	f.turn(completed(5, "2"))
	f.wantHistory("1 Started", "2 Timer(3600000ms)", "3 Act(A)", "4 Done←3", "5 Act(B)", "6 Fired←2", "7 Ev(later)", "8 Done←5", "9 Sub(later)", "10 Completed(kept)")
	f.replaysCleanly()
}

// The two bugs that the papers fix.
func TestPapersBugSameNameAndInputAdoptedTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		one := c.Activity(engine.ActivityCall{Name: "Process", Input: []byte("data")})
		first, err := c.Await(one)
		if err != nil {
			return nil, err
		}
		two := c.Activity(engine.ActivityCall{Name: "Process", Input: []byte("data")})
		if one.EventID() == two.EventID() {
			return nil, fmt.Errorf("both have event %d", one.EventID())
		}
		second, err := c.Await(two)
		return []byte(string(first) + " " + string(second)), err
	})
	f.turn(start("0"))
	f.turn(completed(2, "1"))
	f.turn(completed(4, "2"))
	f.wantHistory("1 Started", "2 Act(Process)", "3 Done←2", "4 Act(Process)", "5 Done←4", "6 Completed(1 2)")
	f.replaysCleanly()
}

func TestPapersBugSearchingForCompletions(t *testing.T) {
	t.Parallel()
	// A completion further back in the history must not be visible before the cursor
	// reaches it: the code learns of A only after the timer.
	var order []string
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		order = nil
		a, w := act(c, "A"), c.Timer(time.Second)
		for i := range c.AsCompleted(a, w) {
			order = append(order, []string{"A", "timer"}[i])
			if !a.Ready() {
				order = append(order, "A is not ready")
			}
		}
		return nil, nil
	})
	f.turn(start("0"))
	f.turn(fired(3), completed(2, "1"))
	f.replaysCleanly()
	if got := fmt.Sprint(order); got != "[timer A is not ready A]" {
		t.Errorf("replay saw %s", got)
	}
}
