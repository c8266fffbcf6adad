package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// I-08: no goroutine of the engine remains after Close.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manyNames is code for which the engine uses maps heavily: many event names, many
// scopes, many branches, and a cancel that reaches all of them.
func manyNames(c *engine.Context, in []byte) ([]byte, error) {
	const n = 40
	var branches []*engine.Future
	outer, cancelOuter := c.WithCancel()
	for i := range n {
		inner, cancel := outer.WithCancel()
		branches = append(branches, inner.Go(func(b *engine.Context) ([]byte, error) {
			wait := b.ExternalEvent(fmt.Sprint("name ", i))
			work := act(b, fmt.Sprint("A", i))
			timer := inner.Timer(time.Second)
			child := b.Child(engine.ChildCall{Name: "C"})
			if i%7 == 0 {
				cancel("by its own branch")
			}
			all := []*engine.Future{timer, child, work, wait}
			w, err := b.Select(i%2 == 0, all...)
			if err == nil {
				_, err = b.Await(all[w])
			}
			if err != nil {
				act(b.Shield(), fmt.Sprint("clean up ", i))
				return nil, err
			}
			return []byte(fmt.Sprint(w)), nil
		}))
	}
	for i, o := range c.AsCompleted(branches...) {
		if i == 3 {
			cancelOuter("enough")
		}
		if _, err := c.SideEffect("seen", func() ([]byte, error) { return []byte(fmt.Sprintf("%q", fmt.Sprint(i, o.Err))), nil }); err != nil {
			return nil, err
		}
	}
	if len(in) < 2 {
		return nil, c.ContinueAsNew("", append(in[:len(in):len(in)], '0'), nil)
	}
	return in, nil
}

func TestNoResultDependsOnTheOrderOfAGoMap(t *testing.T) {
	t.Parallel()
	reg, err := engine.NewRegistry(engine.Orchestration{Name: "Test", Func: manyNames, Source: "here"})
	if err != nil {
		t.Fatal(err)
	}
	var first string
	for range 100 {
		var out strings.Builder
		events := []history.Event(nil)
		for execution := int64(1); ; execution++ {
			x := engine.New(engine.Config{Instance: "i", ExecutionID: execution, Registry: reg})
			if err := x.Feed(events, true); err != nil {
				t.Fatal(err)
			}
			var arrivals []engine.Arrival
			if execution == 1 {
				arrivals = append(arrivals, start("0"))
			}
			for i := range 30 {
				arrivals = append(arrivals, eventFromTo(fmt.Sprint("kept ", i*7%30), fmt.Sprint("k", execution, i)))
			}
			for _, i := range []int{31, 30, 5, 3, 4} {
				arrivals = append(arrivals, eventFromTo(fmt.Sprint("name ", i), fmt.Sprint("n", execution, i)))
			}
			turn, err := x.Run(engine.Input{NowMS: 5, Arrivals: arrivals})
			if err != nil || turn.Stuck != nil {
				t.Fatal(err, turn.Stuck)
			}
			fmt.Fprintf(&out, "%s\n%v\n%v\n%s\n", history.Encode(turn.Events), turn.Cancelled, turn.Verdicts, history.Encode(turn.Next))
			events = append(events, turn.Events...)
			x.Close()

			// Once more from the beginning, up to a cancel in the middle.
			y := engine.New(engine.Config{Instance: "i", ExecutionID: execution, Registry: reg})
			middle := slices.IndexFunc(events, func(e history.Event) bool { return e.Name == "name 31" && e.Kind == history.ExternalEvent })
			if err := y.Feed(events[:middle], false); err != nil {
				t.Fatal(err)
			}
			other, err := y.Run(engine.Input{NowMS: 6, Arrivals: []engine.Arrival{cancelRequest("all of it")}})
			if err != nil || other.Stuck != nil {
				t.Fatal(err, other.Stuck)
			}
			fmt.Fprintf(&out, "%s\n%v\n", history.Encode(other.Events), other.Cancelled)
			y.Close()
			if turn.Next == nil {
				break
			}
			events = turn.Next
		}
		if first == "" {
			first = out.String()
			for _, want := range []string{"OrchestrationContinuedAsNew", "OrchestrationCompleted", "clean up 39", "kept 29"} {
				if !strings.Contains(first, want) {
					t.Fatalf("the run has no %q, so it shows too little", want)
				}
			}
		}
		if diff := firstDifference(strings.Split(out.String(), "{"), strings.Split(first, "{")); diff != "" {
			t.Fatalf("another result: %s", diff)
		}
	}
}

func eventFromTo(name, sender string) engine.Arrival {
	a := event(name, "1")
	a.Event.SenderID = sender
	return a
}

// Bugs that random programs found, each as a small program.

func TestHistoryLengthIsTheSameLiveAndOnReplay(t *testing.T) {
	t.Parallel()
	// A replay visits arrivals without scheduling events in one round, so the length
	// depends on what was visited, not on what is in the round.
	var seen []int64
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		seen = nil
		a, b := c.ExternalEvent("a"), c.ExternalEvent("b")
		_, err := c.Await(a)
		seen = append(seen, c.Info().HistoryLength)
		if err == nil {
			_, err = c.Await(b)
		}
		seen = append(seen, c.Info().HistoryLength)
		if err == nil {
			_, err = call(c, "A")
		}
		return nil, err
	})
	f.turn(start("0"))
	f.turn(event("a", "1"))
	f.turn(event("b", "1"))
	f.wantHistory("1 Started", "2 Sub(a)", "3 Sub(b)", "4 Ev(a)", "5 Ev(b)", "6 Act(A)")
	for range 2 {
		if fmt.Sprint(seen) != "[4 5]" {
			t.Fatalf("history lengths %v, want [4 5]", seen)
		}
		f.replaysCleanly()
	}
}

func TestCancellationReachesTheContextOfABranchThatHasReturned(t *testing.T) {
	t.Parallel()
	var leaked *engine.Context
	code := func(after func(c *engine.Context) error) engine.Func {
		return func(c *engine.Context, _ []byte) ([]byte, error) {
			_, err := c.Await(c.Go(func(c *engine.Context) ([]byte, error) {
				leaked = c
				return nil, nil
			}))
			if err != nil {
				return nil, err
			}
			return nil, after(c)
		}
	}
	t.Run("an open operation in it is cancelled", func(t *testing.T) {
		f := newFixture(t, code(func(c *engine.Context) error {
			_, err := c.Shield().Await(act(leaked, "A"))
			return err
		}))
		f.turn(start("0"))
		turn := f.turn(cancelRequest("enough"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Failed(cancelled)")
		if fmt.Sprint(turn.Cancelled) != "[2]" {
			t.Errorf("cancelled %v, want [2]", turn.Cancelled)
		}
		f.replaysCleanly()
	})
	t.Run("no operation starts in it afterwards", func(t *testing.T) {
		f := newFixture(t, code(func(c *engine.Context) error {
			_, _ = call(c, "A")
			f := act(leaked, "B")
			_, err := c.Shield().Await(f)
			return err
		}))
		f.turn(start("0"))
		f.turn(cancelRequest("enough"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Failed(cancelled)")
		f.replaysCleanly()
	})
	t.Run("a wait in it ends", func(t *testing.T) {
		f := newFixture(t, code(func(c *engine.Context) error {
			_, err := leaked.Await(act(c.Shield(), "A"))
			if !errors.Is(err, engine.ErrCancelled) {
				return fmt.Errorf("got %w", err)
			}
			return nil
		}))
		f.turn(start("0"))
		f.turn(cancelRequest("enough"))
		f.wantHistory("1 Started", "2 Act(A)", "3 CancelRequested", "4 Completed()")
		f.replaysCleanly()
	})
}

func TestARoundWithoutOperationsDoesNotCancelOrSetStatusAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		other := act(c, "B")
		i, err := c.Select(false, act(c, "A"), c.Timer(5))
		if err == nil {
			c.SetState(history.ListedState, []byte(fmt.Sprint(i)))
			_, err = c.Await(other)
		}
		return nil, err
	})
	f.turn(start("0"))
	turn := f.turn(completed(3, "1"))
	f.wantHistory("1 Started", "2 Act(B)", "3 Act(A)", "4 Timer(1ms)", "5 Done←3")
	if fmt.Sprint(turn.Cancelled) != "[4]" || !turn.StatesChanged {
		t.Fatalf("cancelled %v, status changed %v", turn.Cancelled, turn.StatesChanged)
	}
	turn = f.turn(event("nobody waits", "1"))
	if len(turn.Cancelled) > 0 || turn.StatesChanged || string(history.StateNamed(turn.States, history.ListedState)) != "0" {
		t.Errorf("the next turn cancels %v, status changed %v to %q", turn.Cancelled, turn.StatesChanged, turn.States)
	}
	f.replaysCleanly()
}

func TestLinesAfterAResultParkedOnAWarmExecutionAreLogged(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		_, err := c.Await(c.Activity(engine.ActivityCall{Name: "I", Inline: true}))
		c.Logger().Info("done")
		if err == nil {
			_, err = call(c, "A")
		}
		return nil, err
	})
	f.opts.LogHandler = quietHandler{}
	x := f.cold()
	defer x.Close()
	if turn := f.turnOn(x, start("0")); turn.State != engine.RunInline {
		t.Fatal(turn.State)
	}
	turn, err := x.Run(engine.Input{NowMS: f.nowMS, Park: true, Arrivals: []engine.Arrival{
		{Inline: true, Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: 2}}}})
	if err != nil {
		t.Fatal(err)
	}
	f.commit(turn)
	if turn := f.turnOn(x); len(turn.Logs) != 1 || !turn.Recovered {
		t.Errorf("%d lines, recovered %v; want 1 line, recovered", len(turn.Logs), turn.Recovered)
	}
	f.wantHistory("1 Started", "2 inline Act(I)", "3 Done←2", "4 Act(A)")
}

func TestADeadlockIsNotHiddenByARepeat(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		if _, err := call(c, "A"); err != nil {
			return nil, err
		}
		var f *engine.Future
		f = c.Go(func(c *engine.Context) ([]byte, error) { return c.Await(f) })
		return c.Await(f)
	})
	f.turn(start("0"))
	turn := f.turn(completed(2, "1"), completed(2, "1"))
	if turn.Stuck == nil || turn.Stuck.Kind != engine.StuckDeadlock || turn.Verdicts[1].Kind != engine.Duplicate {
		t.Fatalf("stuck %v, verdicts %v", turn.Stuck, turn.Verdicts)
	}
	if turn := f.turn(event("e", "1")); turn.Stuck == nil {
		t.Fatal("an event that the code does not wait for ends the deadlock")
	}
	// An arrival that may still come after it does count.
	f.turn(event("e", "2"), cancelRequest("enough"))
	f.wantHistory("1 Started", "2 Act(A)", "3 Done←2", "4 Ev(e)", "5 Ev(e)", "6 CancelRequested", "7 Failed(cancelled)")
	f.replaysCleanly()
}

func cancelFrom(sender string) engine.Arrival {
	a := cancelRequest("from " + sender)
	a.Event.SenderID = sender
	return a
}

func eventFrom(sender string) engine.Arrival { return eventFromTo("kept", sender) }

// continuing continues as new with every event a until its input has n digits.
func continuing(n int) engine.Func {
	return func(c *engine.Context, in []byte) ([]byte, error) {
		_, err := c.Shield().Await(c.Shield().ExternalEvent("a"))
		if err == nil && len(in) < n {
			err = c.ContinueAsNew("", append(in[:len(in):len(in)], '0'), nil)
		}
		return nil, err
	}
}

func TestRule13ACancelAfterTheEndIsForTheNextExecution(t *testing.T) {
	t.Parallel()
	f := newFixture(t, continuing(3))
	f.turn(start("0"))
	f.turn(cancelFrom("c1"))
	turn := f.turn(event("a", "1"), cancelFrom("c1"), cancelFrom("c2"), cancelFrom("c2"), cancelFrom("c3"),
		eventFrom("late"), eventFrom("late"))
	var kinds []engine.VerdictKind
	for _, v := range turn.Verdicts {
		kinds = append(kinds, v.Kind)
	}
	if fmt.Sprint(kinds) != "[recorded duplicate recorded duplicate duplicate recorded duplicate]" {
		t.Errorf("verdicts %v", kinds)
	}
	if len(turn.Next) != 3 || turn.Next[1].SenderID != "c2" || turn.Next[2].SenderID != "late" {
		t.Fatalf("next execution starts with\n%s", show(turn.Next))
	}
	// The next execution also knows the cancel that this execution has seen.
	x := engine.New(engine.Config{Instance: "i", ExecutionID: 2, Registry: f.reg})
	defer x.Close()
	if err := x.Feed(turn.Next[:1], true); err != nil {
		t.Fatal(err)
	}
	if v := x.Judge(cancelFrom("c1")); v.Kind != engine.Duplicate {
		t.Errorf("a repeat of the cancel is %v", v)
	}
	if v := x.Judge(cancelFrom("c4")); v.Kind != engine.Recorded {
		t.Errorf("a new cancel is %v", v)
	}
	if v := x.Judge(eventFrom("c1")); v.Kind != engine.Recorded {
		t.Errorf("an event with the id of a cancel is %v", v)
	}
}

func TestE08EventsCarriedOverDoNotCrowdOutSenderIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, continuing(1000))
	f.turn(start("0"))
	once := event("a", "1")
	once.Event.SenderID = "once"
	turn := f.turn(eventFrom("carried"), once)
	for execution := int64(2); execution < 300; execution++ {
		x := engine.New(engine.Config{Instance: "i", ExecutionID: execution, Registry: f.reg})
		if err := x.Feed(turn.Next, true); err != nil {
			t.Fatal(err)
		}
		if v := x.Judge(eventFrom("carried")); v.Kind != engine.Duplicate || v.EventID != 2 {
			t.Fatalf("execution %d: a repeat of the event carried over is %v", execution, v)
		}
		if v := x.Judge(once); v.Kind != engine.Duplicate {
			t.Fatalf("execution %d: a repeat of the first event is %v", execution, v)
		}
		var err error
		if turn, err = x.Run(engine.Input{Arrivals: []engine.Arrival{event("a", "1")}}); err != nil {
			t.Fatal(err)
		}
		x.Close()
	}
}

func TestTheNextExecutionKnowsTheUpdatesThatWereDecided(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, in []byte) ([]byte, error) {
		if err := c.HandleUpdate("u", engine.UpdateHandler{Handle: func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil }}); err != nil {
			return nil, err
		}
		return continuing(3)(c, in)
	})
	update := eventFromTo(history.UpdatePrefix+"u", "id")
	f.turn(start("0"), update)
	turn := f.turn(event("a", "1"))
	x := engine.New(engine.Config{Instance: "i", ExecutionID: 2, Registry: f.reg})
	defer x.Close()
	if err := x.Feed(turn.Next, true); err != nil {
		t.Fatal(err)
	}
	if v := x.Judge(update); v.Kind != engine.Duplicate {
		t.Errorf("a repeat of the update is %v", v)
	}
	if v := x.Judge(eventFrom("id")); v.Kind != engine.Recorded {
		t.Errorf("an event with the id of an update is %v", v)
	}
}

func TestRule11AStuckTurnShowsNothingOfWhatTheCodeDid(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		c.SetState(history.ListedState, []byte(`"first"`))
		timer := c.Timer(time.Hour)
		if _, err := call(c, "A"); err != nil {
			return nil, err
		}
		c.SetState(history.ListedState, []byte(`"second"`))
		timer.Cancel("no longer needed")
		act(c, "B")
		panic("no further")
	})
	if turn := f.turn(start("0")); !turn.StatesChanged {
		t.Fatal("the first status is not shown")
	}
	// Event 5 would have been B: a message for it is misaddressed.
	turn := f.turn(completed(3, "1"), completed(5, "1"), event("e", "1"))
	f.wantHistory("1 Started", "2 Timer(3600000ms)", "3 Act(A)", "4 Done←3", "5 Ev(e)")
	if turn.StatesChanged || string(history.StateNamed(turn.States, history.ListedState)) != `"first"` || len(turn.Cancelled) > 0 {
		t.Errorf("status %q (changed %v), cancelled %v", turn.States, turn.StatesChanged, turn.Cancelled)
	}
	if turn.Verdicts[1].Kind != engine.Misaddressed || turn.Verdicts[2].EventID != 5 {
		t.Errorf("verdicts %v", turn.Verdicts)
	}
}

func TestOnlyArrivalsAreRecorded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { _, err := call(c, "A"); return nil, err })
	f.turn(start("0"))
	for _, kind := range append(history.Kinds(), history.KindUnknown) {
		if kind.Arrival() {
			continue
		}
		if turn := f.turn(engine.Arrival{Event: history.Event{Kind: kind, Name: "A"}}); turn.Verdicts[0].Kind != engine.Misaddressed {
			t.Errorf("%s from outside is %v", kind, turn.Verdicts[0])
		}
	}
	f.wantHistory("1 Started", "2 Act(A)")
}

func TestCancelledInlineActivitiesAreNotRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		var fs []*engine.Future
		for _, name := range []string{"I1", "I2", "I3"} {
			fs = append(fs, c.Activity(engine.ActivityCall{Name: name, Inline: true}))
		}
		fs[1].Cancel("not needed")
		_, err := c.Join(fs[0], fs[2])
		return nil, err
	})
	turn := f.turn(start("0"))
	if len(turn.Inline) != 2 || turn.Inline[0].Name != "I1" || turn.Inline[1].Name != "I3" || !slices.Equal(turn.Cancelled, []int64{3}) {
		t.Errorf("inline %+v, cancelled %v", turn.Inline, turn.Cancelled)
	}
}
