package orchestrator

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// againOf is the start of an instance that begins again if it has ended.
func againOf(id string) wire.Item {
	i := startOf(id)
	i.OnConflict = wire.ConflictBeginAgain
	return i
}

func TestO09AnInstanceThatHasEndedBeginsItsNextExecution(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	first := startOf("s1")
	first.SearchAttributes = history.SearchAttributes{"customer": history.SearchTextOf("c-1"), "lane": history.SearchWholeOf(1)}
	w.fifoBatch(1, first)
	w.fifoBatch(1, eventOf("e1"))
	w.expectStarted("s1", store.StatusCompleted)
	w.clock.Advance(time.Hour)

	next := againOf("s2")
	next.SearchAttributes = history.SearchAttributes{"customer": history.SearchTextOf("c-2")}
	w.fifoBatch(1, next)
	w.expectStarted("s2", store.StatusRunning)
	r := w.record("a")
	if r.ExecutionID != 2 || r.FirstExecution != 1 || r.Output != nil || !r.EndedAt.IsZero() || r.CreatedAt != w.clock.Now() || fmt.Sprint(r.EarlierStarts) != "[s1]" {
		t.Errorf("the record is %+v", r)
	}
	if len(r.SearchAttributes) != 1 || r.SearchAttributes["customer"] != history.SearchTextOf("c-2") {
		t.Errorf("it is found by %v", r.SearchAttributes)
	}
	// What is late for the run before reaches nobody; an event is for the run that there is.
	w.restart()
	w.fifoBatch(1, wire.Item{Kind: wire.TimerFired, Instance: "a", ExecutionID: 1, SourceEventID: 2, FireAtMS: 1, Token: "x"})
	w.fifoBatch(1, eventOf("e2"))
	w.expectStarted("s2", store.StatusCompleted)
	if got := string(w.record("a").Output); got != `"s2"` {
		t.Errorf("the output is %s", got)
	}
	w.expectDead()
}

// Both starts are known from then on, in whatever order and process their repeats come.
func TestO09TheStartsOfEarlierRunsAreDuplicates(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	for n := range 3 {
		w.fifoBatch(1, againOf(fmt.Sprint("s", n)))
		w.fifoBatch(1, eventOf(fmt.Sprint("e", n)))
		w.clock.Advance(time.Hour)
	}
	for n := range 3 {
		for receives := 1; receives < 3; receives++ {
			w.restart()
			w.fifoBatch(receives, againOf(fmt.Sprint("s", n)))
		}
	}
	w.expectStarted("s2", store.StatusCompleted)
	if n := w.record("a").ExecutionID; n != 3 {
		t.Errorf("it is at execution %d", n)
	}
	w.expectDead()
}

// A purge removes all runs, and the number goes on behind it.
func TestAPurgeRemovesAllRuns(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	w.fifoBatch(1, startOf("s1"))
	w.fifoBatch(1, eventOf("e1"))
	w.fifoBatch(1, againOf("s2"))
	w.fifoBatch(1, eventOf("e2"))
	w.fifoBatch(1, purgeOf("p"))
	w.fifoBatch(1, againOf("s3"))
	w.expectHeld("s2", w.record("a").FreeAt)
	w.clock.Advance(2 * time.Hour)
	w.fifoBatch(1, wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "delete-2", UpToExecution: 2, NotBeforeMS: 1})
	for n := int64(1); n <= 2; n++ {
		if turns, err := w.store.Read(t.Context(), "a", n, 1); len(turns) > 0 || err != nil {
			t.Errorf("of execution %d are left %d turns, %v", n, len(turns), err)
		}
	}
}

// A child's id that is taken by what has ended is begun again for the parent, who is told
// of the new run alone.
func TestAChildBeginsAgainForItsParent(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	w.fifoBatch(1, startOf("s1"))
	w.fifoBatch(1, eventOf("e1"))
	child := childStart(w, "s2", "parent")
	child.OnConflict = wire.ConflictUseOrBeginAgain
	w.fifoBatch(1, child)
	w.expectStarted("s2", store.StatusRunning)
	if p := w.record("a").Parent; p == nil || p.Instance != "parent" {
		t.Errorf("its parent is %+v", p)
	}
}

// What stands behind a start that may begin the instance again is taken when the start is
// acknowledged: if both came back, what had ended the run would count for the next one too.
func TestO09WhatStandsBehindAStartThatMayBeginAgainComesBack(t *testing.T) {
	t.Parallel()
	raises := startOf("s3")
	raises.OnConflict, raises.Events = wire.ConflictUseExisting, []wire.StartEvent{{Name: "go", ID: "e3", Data: []byte("1")}}
	fork := againOf("s4")
	fork.Origin = &history.Origin{Instance: "b", ExecutionID: 1, EventID: 2}
	for name, c := range map[string]struct {
		batch []wire.Item
		back  []string
		taken bool // by the run that there is
	}{
		"an event behind it":                           {[]wire.Item{againOf("s2"), eventOf("e1")}, []string{"m-e1"}, false},
		"a start behind it":                            {[]wire.Item{againOf("s2"), raises}, []string{"m-s3"}, false},
		"an event ahead of it":                         {[]wire.Item{eventOf("e1"), againOf("s2"), raises}, []string{"m-s2", "m-s3"}, true},
		"an event behind one that goes round":          {[]wire.Item{fork, eventOf("e1")}, []string{"m-e1"}, false},
		"its own repeat, and an event that it is for":  {[]wire.Item{startOf("s1"), eventOf("e1")}, nil, true},
		"another start, which does not, and its event": {[]wire.Item{startOf("s2"), eventOf("e1")}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := waitingWorld(t)
			w.fifoBatch(1, startOf("s1"))
			back := w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, deliveriesOf(w, 1, platform.SourceOrchestrator, c.batch...))
			if !slices.Equal(back, c.back) {
				t.Errorf("handed back: %q, want %q", back, c.back)
			}
			status := store.StatusRunning
			if c.taken {
				status = store.StatusCompleted
			}
			w.expectStarted("s1", status)
		})
	}
}

// O-09: the twin of a start comes late. Its message was acknowledged while the instance ran, so
// it begins nothing: nobody would send what it commits, if it died.
func TestO09AStartThatATwinHasAcknowledgedBeginsNothing(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"acknowledged": true, "still its own": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := waitingWorld(t)
			w.fifoBatch(1, startOf("s1"))
			item := againOf("s2")
			if err := w.fifo.Send(t.Context(), queue.Outgoing{Body: w.body(item), Group: "a", DedupID: "s2"}); err != nil {
				t.Fatal(err)
			}
			batch, err := w.fifo.Receive(t.Context(), 1, 0)
			if err != nil || len(batch) != 1 {
				t.Fatal(batch, err)
			}
			if gone {
				if err := w.fifo.Delete(t.Context(), batch[0]); err != nil {
					t.Fatal(err)
				}
			}
			w.fifoBatch(1, eventOf("e1"))
			w.clock.Advance(20 * time.Second)
			failed := w.process().handle(platform.Delivery{Message: batch[0], Source: platform.SourceOrchestrator})
			if gone {
				w.expectStarted("s1", store.StatusCompleted)
			} else {
				w.expectStarted("s2", store.StatusRunning)
			}
			if handedBack := len(failed) > 0; handedBack != gone {
				t.Errorf("handed back %v", failed)
			}
		})
	}
}
