package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// What a draft changes of the record is a function of how the instance stands.
func TestWhatADraftChangesOfTheRecord(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_000_000)
	marked := &store.Problem{Kind: "panic", Message: "m", Tries: 2, NextMS: 7, SinceMS: 5}
	waiting := func(n int) *draft {
		return newDraft(engine.Turn{State: engine.Waiting, Events: make([]history.Event, n)})
	}
	stuck := newDraft(engine.Turn{State: engine.Stuck})
	ended := newDraft(engine.Turn{State: engine.Ended, Events: []history.Event{{Kind: history.OrchestrationCompleted}}})
	record := func(p *store.Problem) *store.Record {
		return &store.Record{Instance: "a", ExecutionID: 1, Status: store.StatusRunning, Stamp: 3, Problem: p}
	}
	for _, c := range []struct {
		name     string
		standing standing
		draft    *draft
		changes  bool
		status   store.Status
		stamp    int64 // that is demanded, -1 for none
		raised   int64 // the new stamp, 0 where it stays
		tries    int   // of the mark from now on
	}{
		{"a turn that waits changes nothing", standing{record: record(nil), ran: true}, waiting(1), false, "", -1, 0, 0},
		{"nor does one that did not read the record", standing{ran: true}, waiting(1), false, "", -1, 0, 0},
		{"a commit with events clears a mark that was read", standing{record: record(marked), ran: true}, waiting(1), true, store.StatusRunning, 3, 4, 0},
		{"a message without an event clears none", standing{record: record(marked), ran: true}, waiting(0), false, "", -1, 0, 0},
		{"a wake does", standing{record: record(marked), ran: true, try: true}, waiting(0), true, store.StatusRunning, 3, 4, 0},
		{"nothing is cleared by arrivals that are only recorded", standing{record: record(marked)}, waiting(1), false, "", -1, 0, 0},
		{"the first mark is the first try", standing{record: record(nil), problem: &store.Problem{Kind: "panic", Message: "m"}}, stuck, true, store.StatusStuck, 3, 4, 1},
		{"another message leaves the same mark where it is", standing{record: record(marked), problem: &store.Problem{Kind: "panic", Message: "m"}}, stuck, false, "", -1, 0, 2},
		{"another reason moves it, and is no try", standing{record: record(marked), problem: &store.Problem{Kind: "panic", Message: "n"}}, stuck, true, store.StatusStuck, 3, 4, 2},
		{"a wake moves it always", standing{record: record(marked), try: true, problem: &store.Problem{Kind: "panic", Message: "m"}}, stuck, true, store.StatusStuck, 3, 4, 3},
		{"an end demands the stamp that was read, and leaves it", standing{record: record(nil)}, ended, true, store.StatusCompleted, 3, 0, 0},
		{"an end whose record was not read demands none", standing{}, ended, true, store.StatusCompleted, -1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := c.standing
			s.instance, s.execution, s.now = "a", 1, now
			s.delay = func(tries int) time.Duration { return time.Duration(tries) * time.Minute }
			p := s.project(c.draft)
			if (p.change != nil) != c.changes {
				t.Fatalf("change %+v; want one: %t", p.change, c.changes)
			}
			if (p.mark != nil) != (c.tries > 0) || p.mark != nil && p.mark.Tries != c.tries {
				t.Errorf("mark %+v, want %d tries", p.mark, c.tries)
			}
			if p.change == nil {
				return
			}
			if s := p.change.Status; s == nil || *s != c.status {
				t.Errorf("status %v, want %s", s, c.status)
			}
			if read := p.change.If.Stamp; (read != nil) != (c.stamp >= 0) || read != nil && *read != c.stamp {
				t.Errorf("stamp %v is demanded, want %d", read, c.stamp)
			}
			if next := p.change.Stamp; (next != nil) != (c.raised > 0) || next != nil && *next != c.raised {
				t.Errorf("next stamp %v, want %d", next, c.raised)
			}
			if !p.change.If.Running && c.stamp >= 0 {
				t.Error("the record need not show that it runs")
			}
		})
	}
}

func TestWhatFollowsACommit(t *testing.T) {
	t.Parallel()
	next := []history.Event{{Kind: history.OrchestrationStarted}}
	for _, c := range []struct {
		name                     string
		turn                     engine.Turn
		park, recorded, answered bool
		want                     following
	}{
		{"it waits", engine.Turn{State: engine.Waiting}, false, false, false, nothing},
		{"it has ended", engine.Turn{State: engine.Ended}, false, false, false, nothing},
		{"it cannot go on, though a result was recorded", engine.Turn{State: engine.Stuck}, false, false, true, nothing},
		{"no code is to be run", engine.Turn{State: engine.Waiting, Parked: true}, true, true, false, nothing},
		{"its start is only recorded", engine.Turn{State: engine.Waiting}, false, true, false, another},
		{"it continues as new", engine.Turn{State: engine.Ended, Next: next}, false, false, false, another},
		{"an inline activity is to be run", engine.Turn{State: engine.RunInline}, false, false, false, inline},
		{"its result is to be seen", engine.Turn{State: engine.RunInline}, false, false, true, another},
	} {
		if got := follow(newDraft(c.turn), c.park, c.recorded, c.answered); got != c.want {
			t.Errorf("%s: %d follows, want %d", c.name, got, c.want)
		}
	}
}
