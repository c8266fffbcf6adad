package timeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// shelf is a Reader with fixed contents that counts reads.
type shelf struct {
	records    map[string]timeline.Standing
	turns      map[string][]store.Turn
	activities map[store.ActivityKey]store.ActivityState
	noTable    bool
	reads      int
}

func (s *shelf) Record(_ context.Context, instance string) (timeline.Standing, error) {
	s.reads++
	r, ok := s.records[instance]
	if !ok {
		return r, fmt.Errorf("%w: %q", store.ErrNotFound, instance)
	}
	return r, nil
}

func (s *shelf) Turns(_ context.Context, instance string, _ int64) ([]store.Turn, error) {
	s.reads++
	turns, ok := s.turns[instance]
	if !ok {
		return nil, errors.New("the history is damaged")
	}
	return turns, nil
}

func (s *shelf) Activity(_ context.Context, key store.ActivityKey) (store.ActivityState, error) {
	if s.noTable {
		return store.ActivityState{}, timeline.ErrNotKept
	}
	s.reads++
	return s.activities[key], nil
}

// put adds a running instance whose first turn contains the operations that it waits for.
func (s *shelf) put(instance string, waits ...history.Event) {
	if s.records == nil {
		s.records, s.turns, s.activities = map[string]timeline.Standing{}, map[string][]store.Turn{}, map[store.ActivityKey]store.ActivityState{}
	}
	x := newScript(1)
	x.turn(10, append([]history.Event{started()}, waits...)...)
	s.records[instance] = timeline.Standing{Instance: instance, Name: "Main", Status: store.StatusRunning, ExecutionID: 1}
	s.turns[instance] = x.turns
}

func child(instance string) history.Event {
	return history.Event{Kind: history.SubOrchestrationScheduled, Name: "Child", Instance: instance}
}

func leaves(w *timeline.Waiting) string {
	var all []string
	for _, l := range w.Leaves(100) {
		text := l.In.Instance + ":"
		for _, o := range l.Path {
			text += fmt.Sprintf(" %d", o.EventID)
		}
		o := l.Operation()
		text += " " + o.Text()
		if at := o.NextAt(); !at.IsZero() {
			text += fmt.Sprintf(" at %d", at.Unix())
		}
		if o.NotRead != "" {
			text += " (" + o.NotRead + ")"
		}
		if o.Child != nil {
			text += " " + string(o.Child.Status)
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n")
}

func TestPendingGoesDownToTheLeaf(t *testing.T) {
	t.Parallel()
	now := time.Unix(100, 0).UTC()
	s := &shelf{}
	s.put("a", timer(50), child("a/3"), wait("Approved"), child("a/5"), child("a/6"))
	s.put("a/3", child("a/3/2"))
	s.put("a/3/2", act("Book", &history.Retry{MaxAttempts: 5}))
	s.put("a/5", wait("E"))
	stuck := s.records["a/5"]
	stuck.Status, stuck.Problem = store.StatusStuck, &store.Problem{Kind: "panic"}
	s.records["a/5"] = stuck
	s.activities[store.ActivityKey{Instance: "a/3/2", ExecutionID: 1, EventID: 2}] = store.ActivityState{Next: store.NextAttempt{Attempt: 4, NotedAt: now, DueAt: now.Add(3 * time.Minute)}}
	w, err := timeline.PendingOperations(t.Context(), s, "a", 0, now)
	if err != nil {
		t.Fatal(err)
	}
	want := `a: 2 timer at 50
a/3/2: 3 2 2 activity Book, attempt 4 of 5 is next at 280
a: 4 event Approved
a: 5 child Child stuck
a: 6 child Child`
	if got := leaves(w); got != want {
		t.Errorf("leaves are\n%s\nwant\n%s", got, want)
	}
}

func TestPendingIsBoundedAndSaysSo(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	var waits []history.Event
	for i := range 40 {
		id := fmt.Sprintf("a/%d", i+2)
		waits = append(waits, child(id))
		s.put(id, act("A", nil), act("B", nil))
	}
	s.put("a", waits...)
	w, err := timeline.PendingOperations(t.Context(), s, "a", 20, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if s.reads > 24 {
		t.Errorf("%d reads, with a bound of 20", s.reads)
	}
	read, not := 0, 0
	for _, l := range w.Leaves(1000) {
		if l.Operation().NotRead != "" {
			not++
		} else {
			read++
		}
	}
	if read == 0 || not < 30 {
		t.Errorf("%d were read, %d say that they were not", read, not)
	}
	// Of one instance 100 operations are returned, and the number of the others.
	waits = nil
	for range 130 {
		waits = append(waits, wait("E"))
	}
	s.put("many", waits...)
	if w, err = timeline.PendingOperations(t.Context(), s, "many", 0, time.Unix(0, 0)); err != nil || len(w.Operations) != timeline.DefaultOperations || w.More != 30 {
		t.Errorf("%d operations and %d more, %v", len(w.Operations), w.More, err)
	}
}

func TestPendingSaysWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	s := &shelf{noTable: true}
	s.put("a", act("A", nil), child("b"), child("a"))
	s.put("b", wait("E"))
	delete(s.turns, "b")
	w, err := timeline.PendingOperations(t.Context(), s, "a", 0, time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := `a: 2 activity A, one attempt; not known whether it is running (timeline: the activities table cannot be read here)
a: 3 child Child (the history is damaged)
a: 4 child Child (shown above)`
	if got := leaves(w); got != want {
		t.Errorf("leaves are\n%s\nwant\n%s", got, want)
	}
	if _, err := timeline.PendingOperations(t.Context(), s, "nobody", 0, time.Unix(0, 0)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an instance that is not there gave %v", err)
	}
}
