package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

func suspend(id string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.OrchestrationSuspended, SenderID: id, Reason: "the bank is down", Actor: "ada"}}
}

func resume(id string) engine.Arrival {
	return engine.Arrival{Event: history.Event{Kind: history.OrchestrationResumed, SenderID: id, Actor: "bob"}}
}

// Rule 14: with suspends and resumes at any moments, warm or cold, and any division into
// turns, the code makes the same operations, sees the same values, and does not run in
// between.
func TestPropertyRule14SuspendedGivesTheSameOperations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, programOptions{ends: true, continueAsNew: true})
		c := drawCourse(t, p, rapid.IntRange(1, 12).Draw(t, "arrivals"), true)
		defer c.d.close()
		if c.d.everStuck {
			return // a deadlock; the position of its scheduling events depends on the division
		}
		d := newDriver(t, p)
		defer d.close()
		d.blind = true
		drawCutting(t, d)
		serial := 0
		turn := func(arrivals ...engine.Arrival) {
			if rapid.Bool().Draw(t, "cold") {
				d.cool()
			}
			steps, execution := 0, len(d.histories)
			if d.x != nil {
				steps = d.run.steps
			}
			suspended := d.last.Suspended != nil
			for i, v := range d.turn(arrivals...) {
				// A second cancel is late if the first has ended the execution, and a
				// duplicate of it while the execution is suspended.
				again := v.Kind == engine.Duplicate && arrivals[i].Event.Kind == history.OrchestrationCancelRequested
				if v.Kind != engine.Recorded && v.Kind != engine.Late && !again {
					d.fail("%s: %v", arrivals[i].Event.Kind, v)
				}
				suspended = suspended && arrivals[i].Event.Kind != history.OrchestrationResumed
			}
			if suspended && (d.last.State != engine.Suspended || d.x == nil || d.run.steps != steps || execution != len(d.histories)) {
				d.fail("state %v, and the code made %d steps while it was suspended", d.last.State, d.run.steps-steps)
			}
		}
		c.follow(d, func() bool { return rapid.IntRange(0, 3).Draw(t, "batch") > 0 }, func(batch []engine.Arrival) {
			var all []engine.Arrival
			suspended := false
			add := func() {
				serial++
				if suspended = rapid.Bool().Draw(t, "suspend"); suspended {
					all = append(all, suspend(fmt.Sprint("s", serial)))
				} else {
					all = append(all, resume(fmt.Sprint("r", serial)))
				}
			}
			for _, a := range batch {
				for len(d.histories[0]) > 0 && rapid.IntRange(0, 2).Draw(t, "control") == 0 {
					add()
				}
				all = append(all, a)
			}
			if suspended {
				serial++
				all = append(all, resume(fmt.Sprint("r", serial)))
			}
			for len(all) > 0 {
				n := rapid.IntRange(1, len(all)).Draw(t, "cut")
				turn(all[:n]...)
				all = all[n:]
			}
			turn()
		})
		c.sameOperations(d)
	})
}

// counting is an orchestration that takes events and counts the number of times that its code
// continues.
func counting(steps *int) engine.Func {
	return func(c *engine.Context, _ []byte) ([]byte, error) {
		got := ""
		for range 3 {
			*steps++
			v, err := c.Await(c.ExternalEvent("e"))
			if err != nil {
				return nil, err
			}
			got += string(v)
		}
		return []byte(got), nil
	}
}

func TestArrivalsOfASuspendedExecutionAreRecordedAndVisitedWhenItIsResumed(t *testing.T) {
	t.Parallel()
	steps := 0
	f := newFixture(t, counting(&steps))
	f.turn(start("1"))
	f.turn(suspend("s1"))
	if f.last.State != engine.Suspended || f.last.Suspended == nil || f.last.Suspended.Actor != "ada" || !f.last.Parked {
		t.Fatalf("state %v, suspended %+v", f.last.State, f.last.Suspended)
	}
	ran := steps
	f.turn(event("e", "a"))
	f.turn(event("e", "b"), event("e", "c"))
	f.turn() // a wake
	if steps != ran || f.last.State != engine.Suspended {
		t.Fatalf("the code ran %d times while suspended; state %v", steps-ran, f.last.State)
	}
	f.turn(resume("r1"))
	if f.last.State != engine.Ended || f.last.Suspended != nil {
		t.Fatalf("state %v after the resume", f.last.State)
	}
	f.wantHistory("1 Started", "2 Sub(e)", "3 OrchestrationSuspended", "4 Ev(e)", "5 Ev(e)", "6 Ev(e)", "7 OrchestrationResumed",
		"8 Sub(e)", "9 Sub(e)", "10 Completed(abc)")
	f.replaysCleanly()
}

func TestASuspendInABatchStopsTheCodeBetweenTwoArrivals(t *testing.T) {
	t.Parallel()
	steps := 0
	f := newFixture(t, counting(&steps))
	f.turn(start("1"), event("e", "a"), suspend("s1"), event("e", "b"))
	f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Sub(e)", "5 OrchestrationSuspended", "6 Ev(e)")
	f.turn(resume("r1"), event("e", "c"))
	f.wantHistory("1 Started", "2 Sub(e)", "3 Ev(e)", "4 Sub(e)", "5 OrchestrationSuspended", "6 Ev(e)", "7 OrchestrationResumed",
		"8 Sub(e)", "9 Ev(e)", "10 Completed(abc)")
	f.replaysCleanly()
}

func TestRepeatsOfASuspendAndOfAResumeAreDuplicatesForEver(t *testing.T) {
	t.Parallel()
	steps := 0
	f := newFixture(t, counting(&steps))
	f.turn(start("1"), suspend("s1"), resume("r1"))
	turn := f.turn(suspend("s1"), resume("r1"))
	if turn.Verdicts[0].Kind != engine.Duplicate || turn.Verdicts[1].Kind != engine.Duplicate || turn.State != engine.Waiting {
		t.Fatalf("verdicts %v, state %v", turn.Verdicts, turn.State)
	}
	// A second suspend is recorded, but the first determines the start; one resume ends
	// both.
	f.turn(suspend("s2"), suspend("s3"))
	if f.last.Suspended == nil || f.last.Suspended.SenderID != "s2" {
		t.Fatalf("suspended %+v", f.last.Suspended)
	}
	if turn := f.turn(resume("r1")); turn.Verdicts[0].Kind != engine.Duplicate || turn.State != engine.Suspended {
		t.Fatalf("a repeated resume resumed a later suspend: %v, %v", turn.Verdicts, turn.State)
	}
	if turn := f.turn(resume("r2"), resume("r3")); turn.Suspended != nil || turn.State != engine.Waiting || len(turn.Events) != 2 {
		t.Fatalf("state %v, events %s", turn.State, show(turn.Events))
	}
	f.replaysCleanly()
}

func TestASuspendAfterAContinueAsNewSuspendsTheNextExecution(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, input []byte) ([]byte, error) {
		if _, err := c.Await(c.ExternalEvent("e")); err != nil {
			return nil, err
		}
		return nil, c.ContinueAsNew("", input, nil)
	})
	f.turn(start("1"))
	turn := f.turn(event("e", "a"), suspend("s1"), event("e", "b"))
	if turn.Suspended == nil || turn.Suspended.EventID != 2 || len(turn.Next) != 3 {
		t.Fatalf("suspended %+v, next %s", turn.Suspended, show(turn.Next))
	}
	f.events, f.parked = turn.Next, true
	if turn := f.turn(); turn.State != engine.Suspended || len(turn.Events) != 0 {
		t.Fatalf("state %v, events %s", turn.State, show(turn.Events))
	}
	if turn := f.turn(suspend("s1")); turn.Verdicts[0].Kind != engine.Duplicate {
		t.Fatalf("a repeat is %v", turn.Verdicts)
	}
	if turn := f.turn(resume("r1")); turn.End() == nil || turn.Suspended != nil {
		t.Fatalf("after the resume: %s", show(turn.Events))
	}
}

// Otherwise the coordinator of the limit would mistake the repeated request for that of a restarted
// instance.
func TestAFinishedWaitForAPermitIsNotCarriedOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, input []byte) ([]byte, error) {
		return nil, c.ContinueAsNew("", input, nil)
	})
	begun := start("1")
	begun.Event.Start.LimitKey, begun.Event.Start.Limit = "k", 1
	wait := suspend("s1").Event
	wait.LimitKey, wait.Limit = "k", 1
	begun.With = []history.Event{wait}
	f.turn(begun)
	turn := f.turn(resume("admit"))
	for _, e := range turn.Next {
		if e.Kind == history.OrchestrationSuspended {
			t.Errorf("the next execution waits again: %s", show(turn.Next))
		}
	}
	if len(turn.Next) == 0 || turn.Next[0].Start.LimitKey != "k" || turn.Suspended != nil {
		t.Errorf("suspended %+v, next %s", turn.Suspended, show(turn.Next))
	}
}

func TestACancelEndsAWaitForAPermit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) { return c.Await(c.ExternalEvent("e")) })
	begun := start("1")
	wait := suspend("s1").Event
	wait.LimitKey, wait.Limit = "k", 1
	begun.With = []history.Event{wait}
	f.turn(begun)
	x := f.cold()
	turn, err := x.Run(engine.Input{NowMS: f.nowMS, Park: true, Arrivals: []engine.Arrival{cancelRequest("enough")}})
	x.Close()
	if err != nil || turn.Suspended != nil || turn.Queued || !turn.Parked {
		t.Fatalf("%v, suspended %v, queued %t, parked %t", err, turn.Suspended, turn.Queued, turn.Parked)
	}
	f.commit(turn)
	f.wantHistory("1 Started", "2 OrchestrationSuspended", "3 CancelRequested", "4 OrchestrationResumed")
	if f.turn(); f.last.State != engine.Ended {
		t.Errorf("state %v", f.last.State)
	}
}

func TestARedriveWithAnOpenInlineActivityWaitsForAPermit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		if _, err := c.Await(c.Activity(engine.ActivityCall{Name: "I", Inline: true})); err != nil {
			return nil, err
		}
		return c.Await(c.Activity(engine.ActivityCall{Name: "A"}))
	})
	starts := start("1")
	starts.Event.Start.Origin = &history.Origin{Instance: "i", EventID: 2}
	f.turn(starts)
	wait := suspend("s1").Event
	wait.LimitKey, wait.Limit = "k", 1
	redriven := engine.Arrival{Event: history.Event{Kind: history.OrchestrationRedriven, SenderID: "s1", Start: &history.Start{ExecutionID: 1}},
		With: []history.Event{wait, {Kind: history.ActivityCompleted, SourceEventID: 2, Payload: []byte("5")}}}
	x := f.cold()
	defer x.Close()
	turn, err := x.Run(engine.Input{NowMS: f.nowMS, Park: true, Arrivals: []engine.Arrival{redriven}})
	if err != nil || turn.State != engine.Suspended || !turn.Queued || !turn.Parked {
		t.Errorf("state %v, queued %t, parked %t; %v", turn.State, turn.Queued, turn.Parked, err)
	}
	f.commit(turn)
	f.wantHistory("1 Started", "2 inline Act(I)", "3 OrchestrationRedriven", "4 OrchestrationSuspended", "5 Done←2")
	f.turn(resume("admit"))
	f.wantHistory("1 Started", "2 inline Act(I)", "3 OrchestrationRedriven", "4 OrchestrationSuspended", "5 Done←2", "6 OrchestrationResumed", "7 Act(A)", "8 OrchestrationResumed")
	f.replaysCleanly()
}

func TestACancelTakesEffectAtTheResumeAndAForcedEndAtOnce(t *testing.T) {
	t.Parallel()
	steps := 0
	f := newFixture(t, counting(&steps))
	f.turn(start("1"), suspend("s1"))
	if f.turn(cancelRequest("enough")); f.last.State != engine.Suspended {
		t.Fatalf("a cancel ran the code: %v", f.last.State)
	}
	x := f.cold()
	defer x.Close()
	turn, err := x.ForceEnd(f.nowMS, history.ForcedByOperator, "ada", history.Failure{Kind: history.FailureTerminated, Message: "by hand"})
	if err != nil || turn.State != engine.Ended || turn.Suspended != nil {
		t.Fatalf("%v, state %v, suspended %v", err, turn.State, turn.Suspended)
	}
	f.turn(resume("r1"))
	if end := f.last.End(); end == nil || end.Failure == nil || end.Failure.Kind != history.FailureCancelled {
		t.Fatalf("after the resume: %s", show(f.events))
	}
}

func TestAnInlineActivityThatIsOpenBeforeASuspendRunsAfterTheResume(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		return c.Inline(engine.ActivityCall{Name: "I"})
	})
	f.turn(start("1"))
	if f.last.State != engine.RunInline {
		t.Fatalf("state %v", f.last.State)
	}
	// A turn that runs inline activities continues with them; later arrivals wait.
	x := f.cold()
	turn, err := x.Run(engine.Input{NowMS: f.nowMS, Arrivals: []engine.Arrival{suspend("s1")}})
	x.Close()
	if err != nil || turn.Verdicts[0].Kind != engine.Pending || turn.State != engine.RunInline {
		t.Fatalf("%v, verdicts %v, state %v", err, turn.Verdicts, turn.State)
	}
	// If it cannot, it records the arrivals that wait without running code.
	x = f.cold()
	turn, err = x.Run(engine.Input{NowMS: f.nowMS, Park: true, Arrivals: []engine.Arrival{suspend("s1")}})
	x.Close()
	if err != nil || turn.State != engine.Suspended || len(turn.Inline) > 0 {
		t.Fatalf("%v, state %v", err, turn.State)
	}
	f.commit(turn)
	if f.turn(resume("r1")); f.last.State != engine.RunInline || len(f.last.Inline) != 1 {
		t.Fatalf("state %v", f.last.State)
	}
	f.turn(engine.Arrival{Inline: true, Event: history.Event{Kind: history.ActivityCompleted, SourceEventID: 2, Payload: []byte("5")}})
	f.wantHistory("1 Started", "2 inline Act(I)", "3 OrchestrationSuspended", "4 OrchestrationResumed", "5 Done←2", "6 Completed(5)")
	f.replaysCleanly()
}

func TestCodeThatFailsAtTheResumeIsStuckAndContinuesWhenItIsFixed(t *testing.T) {
	t.Parallel()
	steps := 0
	f := newFixture(t, func(c *engine.Context, input []byte) ([]byte, error) {
		if _, err := c.Await(c.ExternalEvent("e")); err != nil {
			return nil, err
		}
		panic("broken")
	})
	f.turn(start("1"), suspend("s1"), event("e", "a"))
	if f.turn(resume("r1")); f.last.State != engine.Stuck || f.last.Suspended != nil {
		t.Fatalf("state %v", f.last.State)
	}
	// Stuck and suspended: arrivals are recorded, and the code is not tried.
	if f.turn(suspend("s2")); f.last.Suspended == nil || !f.last.Parked {
		t.Fatalf("state %v, suspended %v", f.last.State, f.last.Suspended)
	}
	f.replaceCode(counting(&steps))
	if f.turn(event("e", "b")); f.last.State != engine.Suspended || steps != 0 {
		t.Fatalf("state %v, %d steps", f.last.State, steps)
	}
	f.turn(resume("r2"), event("e", "c"))
	if end := f.last.End(); end == nil || string(end.Payload) != "abc" {
		t.Fatalf("history:\n%s", show(f.events))
	}
	f.replaysCleanly()
}

func TestTheLimitOfOperationsAppliesToEachArrivalAlsoAtAResume(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, _ []byte) ([]byte, error) {
		for {
			if _, err := c.Await(c.ExternalEvent("e")); err != nil {
				return nil, err
			}
			for range 3 {
				c.Activity(engine.ActivityCall{Name: "A"})
			}
		}
	})
	f.opts.MaxOperations = 5
	f.turn(start("1"), suspend("s1"), event("e", "a"), event("e", "b"), event("e", "c"))
	if f.turn(resume("r1")); f.last.Stuck != nil || strings.Count(show(f.events), "Act(A)") != 9 {
		t.Fatalf("stuck: %v\n%s", f.last.Stuck, show(f.events))
	}
	f.replaysCleanly()
}

// until returns a suspend with a time, at which the host sends the resume.
func until(id string, ms int64) engine.Arrival {
	a := suspend(id)
	a.Event.FireAtMS = ms
	return a
}

// inTime returns the host's resume for the suspend at an event.
func inTime(event int64) engine.Arrival {
	a := resume("resume-" + fmt.Sprint(event))
	a.ExecutionID, a.Suspend = 1, event
	return a
}

func TestAResumeThatNamesASuspendIsLateAfterAnotherSuspend(t *testing.T) {
	t.Parallel()
	steps := 0
	f := newFixture(t, counting(&steps))
	f.turn(start("1"), until("s1", 5000))
	if f.last.SuspendedUntilMS != 5000 {
		t.Fatalf("suspended until %d", f.last.SuspendedUntilMS)
	}
	// The time is changed: only a suspend that names the first one does that.
	move := until("s2", 9000)
	move.Suspend = 2
	if turn := f.turn(move); turn.Verdicts[0].Kind != engine.Late {
		t.Fatalf("changing the time of a suspend that does not exist is %v", turn.Verdicts)
	}
	move.Suspend = 3
	if f.turn(move); f.last.SuspendedUntilMS != 9000 || f.last.Suspended.EventID != 3 {
		t.Fatalf("suspended since %+v until %d", f.last.Suspended, f.last.SuspendedUntilMS)
	}
	if turn := f.turn(inTime(3)); turn.Verdicts[0].Kind != engine.Late || turn.State != engine.Suspended {
		t.Fatalf("the resume for the earlier time is %v", turn.Verdicts)
	}
	// It is suspended without a time, so it waits for a resume.
	f.turn(suspend("s3"))
	if turn := f.turn(inTime(4)); turn.Verdicts[0].Kind != engine.Late || turn.SuspendedUntilMS != 0 {
		t.Fatalf("the resume for the earlier time is %v", turn.Verdicts)
	}
	if f.turn(resume("r1")); f.last.State != engine.Waiting {
		t.Fatalf("state %v", f.last.State)
	}
	move.Event.SenderID = "s4"
	if turn := f.turn(move); turn.Verdicts[0].Kind != engine.Late || turn.State != engine.Waiting {
		t.Fatalf("changing a time suspended a running instance: %v", turn.Verdicts)
	}
	f.replaysCleanly()
}

func TestADelayedStartRunsNoCodeUntilItsTime(t *testing.T) {
	t.Parallel()
	steps := 0
	f := newFixture(t, counting(&steps))
	a := start("1")
	a.With = []history.Event{until("s", 5000).Event, event("e", "a").Event}
	f.turn(a)
	if steps != 0 || f.last.State != engine.Suspended || f.last.SuspendedUntilMS != 5000 {
		t.Fatalf("%d steps, state %v", steps, f.last.State)
	}
	f.turn(inTime(2), event("e", "b"), event("e", "c"))
	f.wantHistory("1 Started", "2 OrchestrationSuspended", "3 Ev(e)", "4 OrchestrationResumed", "5 Sub(e)", "6 Sub(e)", "7 Ev(e)",
		"8 Sub(e)", "9 Ev(e)", "10 Completed(abc)")
	f.replaysCleanly()
}

func TestAResumeThatNamesASuspendOfAnEndedExecutionIsNotCarriedOver(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *engine.Context, input []byte) ([]byte, error) {
		if _, err := c.Await(c.ExternalEvent("e")); err != nil {
			return nil, err
		}
		return nil, c.ContinueAsNew("", input, nil)
	})
	f.turn(start("1"), until("s1", 5000), resume("r1"))
	turn := f.turn(event("e", "a"), suspend("s2"), inTime(3))
	if turn.Verdicts[2].Kind != engine.Late || turn.Suspended == nil || len(turn.Next) != 2 {
		t.Fatalf("verdicts %v, next %s", turn.Verdicts, show(turn.Next))
	}
}
