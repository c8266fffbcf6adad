package projection

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// The changes that a commit makes to the record depend only on the state of the instance.
func TestTheChangesOfACommitToTheRecord(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_000_000)
	marked := &store.Problem{Kind: "panic", Message: "m", Tries: 2, NextMS: 7, SinceMS: 5}
	waiting := func(n int) *engine.Turn {
		return &engine.Turn{State: engine.Waiting, Events: make([]history.Event, n)}
	}
	stuck := &engine.Turn{State: engine.Stuck}
	ended := &engine.Turn{State: engine.Ended, Events: []history.Event{{Kind: history.OrchestrationCompleted}}}
	record := func(p *store.Problem) *store.Record {
		return &store.Record{Instance: "a", ExecutionID: 1, Status: store.StatusRunning, Stamp: 3, Problem: p}
	}
	for _, c := range []struct {
		name     string
		standing Standing
		turn     *engine.Turn
		changes  bool
		status   store.Status
		stamp    int64 // the required stamp, -1 for none
		raised   int64 // the new stamp, 0 if it does not change
		tries    int   // the tries of the mark from now on
	}{
		{"a turn that waits changes nothing", Standing{Record: record(nil), Ran: true}, waiting(1), false, "", -1, 0, 0},
		{"nor does one that did not read the record", Standing{Ran: true}, waiting(1), false, "", -1, 0, 0},
		{"a commit with events clears a mark that was read", Standing{Record: record(marked), Ran: true}, waiting(1), true, store.StatusRunning, 3, 4, 0},
		{"a message without an event clears none", Standing{Record: record(marked), Ran: true}, waiting(0), false, "", -1, 0, 0},
		{"a wake does", Standing{Record: record(marked), Ran: true, Try: "w"}, waiting(0), true, store.StatusRunning, 3, 4, 0},
		{"nothing is cleared by arrivals that are only recorded", Standing{Record: record(marked)}, waiting(1), false, "", -1, 0, 0},
		{"the first mark is the first try", Standing{Record: record(nil), Problem: &store.Problem{Kind: "panic", Message: "m"}}, stuck, true, store.StatusStuck, 3, 4, 1},
		{"another message does not move the same mark", Standing{Record: record(marked), Problem: &store.Problem{Kind: "panic", Message: "m"}}, stuck, false, "", -1, 0, 2},
		{"another reason moves it, and is no try", Standing{Record: record(marked), Problem: &store.Problem{Kind: "panic", Message: "n"}}, stuck, true, store.StatusStuck, 3, 4, 2},
		{"a wake moves it always", Standing{Record: record(marked), Try: "w", Problem: &store.Problem{Kind: "panic", Message: "m"}}, stuck, true, store.StatusStuck, 3, 4, 3},
		{"an end demands the stamp that was read, and leaves it", Standing{Record: record(nil)}, ended, true, store.StatusCompleted, 3, 0, 0},
		{"an end whose record was not read demands none", Standing{}, ended, true, store.StatusCompleted, -1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := c.standing
			s.Instance, s.Execution, s.Now = "a", 1, now
			s.Delay = func(tries int) time.Duration { return time.Duration(tries) * time.Minute }
			p := s.Of(c.turn)
			if (p.Change != nil) != c.changes {
				t.Fatalf("change %+v; want one: %t", p.Change, c.changes)
			}
			if (p.Mark != nil) != (c.tries > 0) || p.Mark != nil && p.Mark.Tries != c.tries {
				t.Errorf("mark %+v, want %d tries", p.Mark, c.tries)
			}
			if p.Change == nil {
				return
			}
			if s := p.Change.Status; s == nil || *s != c.status {
				t.Errorf("status %v, want %s", s, c.status)
			}
			if read := p.Change.If.Stamp; (read != nil) != (c.stamp >= 0) || read != nil && *read != c.stamp {
				t.Errorf("stamp %v is demanded, want %d", read, c.stamp)
			}
			if next := p.Change.Stamp; (next != nil) != (c.raised > 0) || next != nil && *next != c.raised {
				t.Errorf("next stamp %v, want %d", next, c.raised)
			}
			if !p.Change.If.Running && c.stamp >= 0 {
				t.Error("the record need not show that it runs")
			}
		})
	}
}

// A record that was read during a commit may be older than the history. A state is written if it
// differs from the record or from the history.
func TestAStateThatTheRecordMayLackIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		inRecord, wasIt string
		writes          bool
	}{
		{"neither has it", "a", "a", true},
		{"both have it", "b", "b", false},
		{"the record is behind the history", "b", "a", true},
		{"another build's history has it", "a", "b", true},
	} {
		s := Standing{Instance: "x", Execution: 1, Ran: true, Record: &store.Record{Instance: "x", ExecutionID: 1, Status: store.StatusRunning,
			States: []byte(c.inRecord), SearchAttributes: history.SearchAttributes{"k": history.SearchTextOf(c.inRecord)}}}
		status := s.Of(&engine.Turn{State: engine.Waiting, States: []byte("b"), StatesChanged: true, StatesWas: []byte(c.wasIt)})
		if (status.Change != nil) != c.writes {
			t.Errorf("%s: status written: %t", c.name, status.Change != nil)
		}
		search := s.Of(&engine.Turn{State: engine.Waiting, SearchSet: history.SearchAttributes{"k": history.SearchTextOf("b")},
			SearchWas: history.SearchAttributes{"k": history.SearchTextOf(c.wasIt)}})
		if (search.Change != nil) != c.writes {
			t.Errorf("%s: search attributes written: %t", c.name, search.Change != nil)
		}
	}
}
