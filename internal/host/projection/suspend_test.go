package projection

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// A suspend and a resume change the record: the status that lists use, the time of the suspend, and
// the mark.
func TestASuspendKeepsTheProblemInTheRecord(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_900_000_000_000)
	suspended := &history.Event{Kind: history.OrchestrationSuspended, EventID: 5, AtMS: 7, Reason: "the bank is down", Actor: "ada"}
	since := &store.Suspension{EventID: 5, SinceMS: 7, Reason: "the bank is down", Actor: "ada"}
	panicked := &store.Problem{Kind: "panic", Message: "m", Tries: 2}
	damaged := &store.Problem{Kind: store.ProblemCorrupt, Message: "c"}
	record := func(s *store.Suspension, p *store.Problem) *store.Record {
		return &store.Record{Instance: "a", ExecutionID: 1, Status: store.StatusRunning, Stamp: 3, Suspension: s, Problem: p}
	}
	turn := func(state engine.State, s *history.Event, kinds ...history.Kind) *engine.Turn {
		out := &engine.Turn{State: state, Suspended: s, SuspendedFor: s}
		for _, k := range kinds {
			out.Events = append(out.Events, history.Event{Kind: k})
		}
		return out
	}
	scheduled := turn(engine.Suspended, &history.Event{Kind: history.OrchestrationSuspended, EventID: 2, AtMS: 7}, history.OrchestrationSuspended)
	scheduled.SuspendedFor = &history.Event{Kind: history.OrchestrationSuspended, EventID: 3, AtMS: 9, Reason: "the bank is down", Actor: "ada"}
	const s, r, e = history.OrchestrationSuspended, history.OrchestrationResumed, history.ExternalEvent
	for _, c := range []struct {
		name     string
		standing Standing
		turn     *engine.Turn
		changes  bool
		status   store.Status
		since    *store.Suspension // the suspension from now on, if it changes
		sets     bool
		clears   bool // the mark
	}{
		{"a suspend", Standing{Record: record(nil, nil)}, turn(engine.Suspended, suspended, s), true, store.StatusSuspended, since, true, false},
		{"a suspend of a stuck instance keeps the mark", Standing{Record: record(nil, panicked)}, turn(engine.Suspended, suspended, s), true, store.StatusSuspended, since, true, false},
		{"a second suspend changes nothing", Standing{Record: record(since, nil)}, turn(engine.Suspended, suspended, s), false, "", nil, false, false},
		{"a suspend of a scheduled instance gives the reason", Standing{Record: record(&store.Suspension{EventID: 2, SinceMS: 7, UntilMS: 9}, nil)}, scheduled, true, store.StatusSuspended,
			&store.Suspension{EventID: 2, SinceMS: 7, Reason: "the bank is down", Actor: "ada"}, true, false},
		{"an arrival of a suspended instance changes nothing", Standing{Record: record(since, nil)}, turn(engine.Suspended, suspended, e), false, "", nil, false, false},
		{"even if its code panicked", Standing{Record: record(since, panicked)}, turn(engine.Suspended, suspended, e), false, "", nil, false, false},
		{"a wake of a suspended instance leaves its mark", Standing{Record: record(since, panicked), Try: "w"}, turn(engine.Suspended, suspended), false, "", nil, false, false},
		{"an arrival shows that the history is damaged no longer", Standing{Record: record(since, damaged)}, turn(engine.Suspended, suspended, e), true, store.StatusSuspended, nil, false, true},
		{"and so does a wake", Standing{Record: record(since, damaged), Try: "w"}, turn(engine.Suspended, suspended), true, store.StatusSuspended, nil, false, true},
		{"a resume", Standing{Record: record(since, nil), Ran: true}, turn(engine.Waiting, nil, r), true, store.StatusRunning, nil, true, false},
		{"a resume with which the code continues clears the mark", Standing{Record: record(since, panicked), Ran: true}, turn(engine.Waiting, nil, r), true, store.StatusRunning, nil, true, true},
		{"a resume for which the code has the same problem", Standing{Record: record(since, panicked), Problem: &store.Problem{Kind: "panic", Message: "m"}},
			turn(engine.Stuck, nil, r), true, store.StatusStuck, nil, true, false},
		{"a resume that is only recorded", Standing{Record: record(since, panicked)}, turn(engine.Waiting, nil, r), true, store.StatusStuck, nil, true, false},
		{"a resume of an instance that is not suspended", Standing{Record: record(nil, nil), Ran: true}, turn(engine.Waiting, nil, r), false, "", nil, false, false},
		{"a resume before the record shows the suspend", Standing{Record: record(nil, nil), Ran: true}, resumed(turn(engine.Waiting, nil, r)), true, store.StatusRunning, nil, true, false},
		{"code that panics before a suspend", Standing{Record: record(nil, nil), Problem: &store.Problem{Kind: "panic", Message: "n"}},
			turn(engine.Stuck, suspended, e, s), true, store.StatusSuspended, since, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st := c.standing
			st.Instance, st.Execution, st.Now, st.Delay = "a", 1, now, func(int) time.Duration { return time.Minute }
			got := st.Of(c.turn).Change
			if (got != nil) != c.changes {
				t.Fatalf("change %+v; want one: %t", got, c.changes)
			}
			if got == nil {
				return
			}
			if got.Status == nil || *got.Status != c.status {
				t.Errorf("status %v, want %s", got.Status, c.status)
			}
			if (got.Suspension != nil) != c.sets {
				t.Errorf("suspension %v, set: %t", got.Suspension, c.sets)
			} else if c.sets && (*got.Suspension == nil) != (c.since == nil) || c.since != nil && **got.Suspension != *c.since {
				t.Errorf("suspension %+v, want %+v", *got.Suspension, c.since)
			}
			if clears := got.Problem != nil && *got.Problem == nil; clears != c.clears {
				t.Errorf("the mark is cleared: %t, want %t", clears, c.clears)
			}
			if got.If.Stamp == nil || *got.If.Stamp != 3 || got.Stamp == nil || *got.Stamp != 4 {
				t.Errorf("it demands stamp %v and sets %v, want 3 and 4", got.If.Stamp, got.Stamp)
			}
		})
	}
}

// An execution that starts suspended, and one that continues as new before a suspend.
func TestASuspendOfANewExecutionIsProjected(t *testing.T) {
	t.Parallel()
	suspended := &history.Event{Kind: history.OrchestrationSuspended, EventID: 2}
	started := history.Event{Kind: history.OrchestrationStarted, Name: "A"}
	s := Standing{Instance: "a", Execution: 1, Starts: Start{Creating: true}}
	starts := s.Of(&engine.Turn{State: engine.Suspended, Suspended: suspended, SuspendedFor: suspended, Events: []history.Event{started, *suspended}}).Change
	if starts == nil || starts.Create == nil || starts.Create.Status != store.StatusSuspended || starts.Create.Suspension == nil {
		t.Errorf("it begins as %+v", starts)
	}
	s = Standing{Instance: "a", Execution: 1, Record: &store.Record{Instance: "a", ExecutionID: 1, Status: store.StatusRunning}}
	continues := s.Of(&engine.Turn{State: engine.Ended, Suspended: suspended, SuspendedFor: suspended, Events: []history.Event{{Kind: history.OrchestrationContinuedAsNew}},
		Next: []history.Event{started, *suspended}}).Change
	if continues == nil || *continues.Status != store.StatusSuspended || continues.Suspension == nil || *continues.ExecutionID != 2 {
		t.Errorf("it goes on as %+v", continues)
	}
	s.Record.Suspension = &store.Suspension{EventID: 2}
	ends := s.Of(&engine.Turn{State: engine.Ended, Events: []history.Event{{Kind: history.OrchestrationFailed, Forced: history.ForcedByOperator, Failure: &history.Failure{}}}}).Change
	if *ends.Status != store.StatusTerminated || ends.Suspension == nil || *ends.Suspension != nil {
		t.Errorf("it ends as %+v", ends)
	}
}

// resumed is a turn of an execution that was suspended before it.
func resumed(t *engine.Turn) *engine.Turn {
	t.Resumed = true
	return t
}
