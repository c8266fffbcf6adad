package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/sharing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// weighed is an archive that records the documents that it receives, and the number of bytes in
// concurrent calls.
type weighed struct {
	mu             sync.Mutex
	asked          []string
	bytes, most    int
	together, many int
	refuses        map[string]error
	asks           func(instance string)
}

func (a *weighed) Keep(_ context.Context, instance string, _ int64, document []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, instance)
	a.bytes, a.together = a.bytes+len(document), a.together+1
	a.most, a.many = max(a.most, a.bytes), max(a.many, a.together)
	if a.asks != nil {
		a.asks(instance)
	}
	a.mu.Unlock()
	// Other calls may arrive meanwhile.
	for range 100 {
		runtime.Gosched()
	}
	a.mu.Lock()
	a.bytes, a.together = a.bytes-len(document), a.together-1
	if err := a.refuses[instance]; err != nil {
		return err
	}
	return a.refuses[""]
}

// due adds instances that ended two hours ago, with histories of the given sizes. Lists have the
// newest first.
func (s *shelf) due(bytes ...int) {
	s.Helper()
	ended := s.at.Now().Add(-2 * time.Hour)
	for i, n := range bytes {
		name := fmt.Sprintf("i%02d", i)
		r := &store.Record{Instance: name, Name: "Main", ExecutionID: 1, FirstExecution: 1, Status: store.StatusCompleted, CreatedAt: ended.Add(-time.Duration(i) * time.Minute), EndedAt: ended}
		events := []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Start: &history.Start{}}}
		for c, id := (store.Commit{Record: &store.RecordChange{Create: r}}), int64(2); len(events) > 0; c, id = (store.Commit{}), id+1 {
			c.Turns = []store.Turn{{Instance: name, ExecutionID: 1, Token: "t", Events: events}}
			if err := s.Commit(s.Context(), c); err != nil {
				s.Fatal(err)
			}
			last := min(n, 1<<20)
			switch {
			case events[0].Kind == history.OrchestrationCompleted:
				events = nil
			case n == 0:
				events = []history.Event{{EventID: id, Kind: history.OrchestrationCompleted}}
			default:
				events = []history.Event{{EventID: id, Kind: history.ExternalEvent, Payload: []byte(`"` + strings.Repeat("x", last) + `"`)}}
			}
			n -= last
		}
	}
}

// sweepsEnded handles a sweep of ended instances with the given receive count.
func (s *shelf) sweepsEnded(a store.Archive, receives int) error {
	s.Helper()
	s.Archive = a
	by := s.sweeper(Kept{Default: time.Hour})
	by.Together = sharing.OnGoroutines(func(f func()) { go f() })
	m := &inbox.Message{Delivery: platform.Delivery{Message: queue.Message{ID: "m", ReceiveCount: receives}, Source: platform.SourceOrchestrator},
		Item: wire.Item{V: wire.Version, Kind: wire.Sweep, Ended: wire.AllEnded}}
	return by.sweepEnded(s.Context(), m)
}

// mark marks an instance as a careful sweep does.
func (s *shelf) mark(instance, mark string) {
	s.Helper()
	if err := s.Store.UpdateRecord(s.Context(), instance, store.RecordChange{If: store.RecordCondition{Exists: true}, Suspect: &mark}); err != nil {
		s.Fatal(err)
	}
}

func TestTheArchiveReceivesFewBytesAtATime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		bytes          []int
		together, most int
	}{
		{"small ones go together", slices.Repeat([]int{1000}, 9), 4, 4 * 2000},
		{"of large ones, those that fit", slices.Repeat([]int{putBytes / 3}, 6), 3, putBytes + putBytes/3 + 3000},
		{"larger ones are sent alone", slices.Repeat([]int{putBytes}, 3), 1, putBytes + 1000},
		{"a larger one goes with the small ones before it", []int{1000, 1000, putBytes, 1000}, 3, putBytes + 6000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, a := newShelf(t, 0), &weighed{}
			s.due(c.bytes...)
			if err := s.sweepsEnded(a, 1); err != nil {
				t.Fatal(err)
			}
			if len(a.asked) != len(c.bytes) || strings.Count(s.sent(), "by retention") != len(c.bytes) {
				t.Errorf("%d of %d are archived, and purges are sent to %s", len(a.asked), len(c.bytes), s.sent())
			}
			if a.many > c.together || a.most > c.most {
				t.Errorf("%d documents with %d bytes were put at a time, want at most %d with %d", a.many, a.most, c.together, c.most)
			}
		})
	}
}

// A sweep does not try all documents with an archive that accepts none, because each document costs
// the reads of a history.
func TestASweepStopsAtTheFirstErrorOfTheArchive(t *testing.T) {
	t.Parallel()
	s, a := newShelf(t, 0), &weighed{refuses: map[string]error{"": errors.New("access is denied")}}
	s.due(slices.Repeat([]int{10}, 90)...)
	if err := s.sweepsEnded(a, 1); err == nil || len(a.asked) != putTogether || s.sent() != "" {
		t.Errorf("the archive was asked %d times, and purges are sent to %q; the sweep says %v", len(a.asked), s.sent(), err)
	}
}

func TestADocumentThatTheArchiveRejectsStopsNoOther(t *testing.T) {
	t.Parallel()
	s, a := newShelf(t, 0), &weighed{refuses: map[string]error{"i01": fmt.Errorf("%w: it is too large", errors.ErrUnsupported)}}
	s.due(10, 10, 10)
	if err := s.sweepsEnded(a, 1); err != nil || s.sent() != "i00/1 by retention, i02/1 by retention" {
		t.Errorf("purges are sent to %q, want those to the other two: %v", s.sent(), err)
	}
}

// A redelivered sweep may have killed its process, so it archives instances one at a time and marks
// each first. If a mark is left, the instance is marked a second time, and then skipped for a day.
func TestASweepSkipsAnInstanceThatKilledItsProcess(t *testing.T) {
	t.Parallel()
	at := func(s *shelf, ago time.Duration) string { return fmt.Sprint(s.at.Now().Add(-ago).UnixMilli()) }
	for _, c := range []struct {
		name     string
		receives int
		mark     func(s *shelf) string
		// skipped: the instance is not archived; second: meanwhile it is marked for the second
		// time.
		skipped, second bool
	}{
		{name: "no mark", receives: 1},
		{name: "no mark, and a redelivery", receives: 2},
		{name: "a mark", receives: 1, mark: func(s *shelf) string { return "archive-1-" + at(s, time.Hour) }, second: true},
		{name: "a mark, and a redelivery", receives: 2, mark: func(s *shelf) string { return "archive-1-" + at(s, time.Hour) }, second: true},
		{name: "two marks", receives: 1, mark: func(s *shelf) string { return "archive-1-" + at(s, time.Hour) + "#2" }, skipped: true},
		{name: "two marks, and a redelivery", receives: 2, mark: func(s *shelf) string { return "archive-1-" + at(s, time.Hour) + "#2" }, skipped: true},
		{name: "two marks of the day before", receives: 2, mark: func(s *shelf) string { return "archive-1-" + at(s, 25*time.Hour) + "#2" }},
		{name: "two marks of another execution", receives: 2, mark: func(s *shelf) string { return "archive-2-" + at(s, time.Hour) + "#2" }},
		{name: "a message that was received too often", receives: 2, mark: func(*shelf) string { return "fifo-7" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, marked, second := newShelf(t, 0), "", false
			a := &weighed{}
			a.asks = func(instance string) {
				if r, err := s.Describe(t.Context(), instance); err == nil && strings.HasPrefix(r.Suspect, archiveMark) {
					marked += instance
					second = second || strings.HasSuffix(r.Suspect, secondMark)
				}
			}
			s.due(10, 10, 10)
			if c.mark != nil {
				s.mark("i01", c.mark(s))
			}
			if err := s.sweepsEnded(a, c.receives); err != nil {
				t.Fatal(err)
			}
			want := []string{"i00", "i01", "i02"}
			if c.skipped {
				want = []string{"i00", "i02"}
			}
			if slices.Sort(a.asked); !slices.Equal(a.asked, want) {
				t.Errorf("the archive has %q, want %q", a.asked, want)
			}
			if c.receives > 1 && (marked != strings.Join(want, "") || a.many > 1) {
				t.Errorf("%q are marked while they are put, %d together", marked, a.many)
			}
			if c.receives == 1 && marked != "" && (!c.second || marked != "i01") {
				t.Errorf("%q are marked although the message has not come back", marked)
			}
			if second != c.second {
				t.Errorf("one was marked for the second time: %v", second)
			}
			for _, instance := range want {
				if r, err := s.Describe(t.Context(), instance); err != nil || c.receives > 1 && r.Suspect != "" {
					t.Errorf("%s is still marked %q: %v", instance, r.Suspect, err)
				}
			}
		})
	}
}
