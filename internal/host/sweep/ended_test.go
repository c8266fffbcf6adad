package sweep

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// sweeper returns the sweeper of the shelf.
func (s *shelf) sweeper(kept Kept) *Sweeper {
	alone := func(_ int, f func()) { f() }
	return &Sweeper{Keeper: s.Keeper, Watch: Watch{Kept: kept}, Together: alone,
		Sender: &dispatch.Sender{Composer: dispatch.Composer{Edge: s.Edge, Settings: &s.Settings.Dispatch, Loop: &s.Settings.Loop},
			To: dispatch.Targets{Queues: s.Queues}, Clock: s.at, Together: alone, Logger: slog.New(slog.DiscardHandler), Observer: host.NoObserver{}}}
}

// sent returns the purges in the FIFO queue.
func (s *shelf) sent() string {
	s.Helper()
	var all []string
	for _, m := range s.fifo.Peek() {
		item, err := wire.Parse([]byte(m.Body))
		if err != nil || item.Kind != wire.PurgeInstance || item.UpToExecution != 0 || item.Force {
			s.Fatalf("%s is no purge: %v", m.Body, err)
		}
		all = append(all, fmt.Sprintf("%s/%d by %s", item.Instance, item.ExecutionID, item.Actor))
	}
	return strings.Join(all, ", ")
}

// A purge by retention names the ended execution, and is sent after its history is in the archive.
// A child is kept while the execution that started it is running.
func TestAnEndedInstanceIsPurgedAfterItsRetention(t *testing.T) {
	t.Parallel()
	running := func(n int64) *store.Record {
		return &store.Record{Instance: "parent", Name: "Parent", ExecutionID: n, Status: store.StatusRunning}
	}
	of := func(n int64) *history.Parent { return &history.Parent{Instance: "parent", ExecutionID: n} }
	const purged = "a/1 by retention"
	// By default, instances are found by their status; orchestrations with their own retention are
	// found by name.
	byStatus, byName := Kept{Default: time.Hour}, Kept{Named: map[string]time.Duration{"Main": time.Hour}}
	for _, c := range []struct {
		name   string
		status store.Status
		age    time.Duration
		of     *history.Parent
		parent *store.Record
		// lacks: its history has no end. down: the archive accepts nothing.
		lacks, down bool
		// damaged: its history cannot be read. bare: there is no archive.
		damaged, bare bool
		want          string
	}{
		{name: "an hour has passed", status: store.StatusCompleted, age: time.Hour, want: purged},
		{name: "the hour has not passed", status: store.StatusCompleted, age: time.Hour - time.Second},
		{name: "it runs", status: store.StatusRunning, age: 2 * time.Hour},
		{name: "its parent runs", status: store.StatusCompleted, age: 2 * time.Hour, of: of(1), parent: running(1)},
		{name: "its parent has continued with another execution", status: store.StatusCompleted, age: 2 * time.Hour, of: of(1), parent: running(2), want: purged},
		{name: "its parent has ended", status: store.StatusFailed, age: 2 * time.Hour, of: of(1), want: purged,
			parent: &store.Record{Instance: "parent", Name: "Parent", ExecutionID: 1, Status: store.StatusCompleted, EndedAt: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}},
		{name: "its parent was purged", status: store.StatusCompleted, age: 2 * time.Hour, of: of(1), parent: &store.Record{Instance: "parent", ExecutionID: 1, Purged: true}, want: purged},
		{name: "its parent is not there", status: store.StatusCompleted, age: 2 * time.Hour, of: of(1), want: purged},
		{name: "its history lacks its end", status: store.StatusCompleted, age: 2 * time.Hour, lacks: true},
		{name: "its history is damaged", status: store.StatusCompleted, age: 2 * time.Hour, damaged: true},
		{name: "its history is damaged, and there is no archive", status: store.StatusCompleted, age: 2 * time.Hour, damaged: true, bare: true, want: purged},
		{name: "the archive is down", status: store.StatusCompleted, age: 2 * time.Hour, down: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, kept := range []Kept{byStatus, byName} {
				s := newShelf(t, 0)
				ended := s.at.Now().Add(-c.age)
				events := []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Start: &history.Start{}}}
				if !c.lacks {
					events = append(events, history.Event{EventID: 2, Kind: history.OrchestrationCompleted})
				}
				r := &store.Record{Instance: "a", Name: "Main", ExecutionID: 1, FirstExecution: 1, Status: c.status, CreatedAt: ended.Add(-time.Minute), Parent: c.of}
				if c.status.Terminal() {
					r.EndedAt = ended
				}
				err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Token: "t", Events: events}}, Record: &store.RecordChange{Create: r}})
				if err == nil && c.parent != nil {
					err = s.Store.UpdateRecord(t.Context(), "parent", store.RecordChange{Create: c.parent})
				}
				if err != nil {
					t.Fatal(err)
				}
				if c.down {
					s.fails["archives 1"] = store.ErrUnavailable
				}
				if c.damaged {
					s.fails["reads 1"] = &store.CorruptError{}
				}
				if c.bare {
					s.Archive = nil
				}
				m := &inbox.Message{Item: wire.Item{Ended: wire.AllEnded}}
				if err := s.sweeper(kept).sweepEnded(t.Context(), m); (err != nil) != c.down {
					t.Fatal(err)
				}
				if got := s.sent(); got != c.want {
					t.Errorf("purges are sent to %q, want %q", got, c.want)
				}
				if archived := len(s.script) > 0 && !c.down; archived != (c.want != "" && !c.bare) {
					t.Errorf("the archive was asked: %v, and purges are sent to %q", s.script, c.want)
				}
			}
		})
	}
}

// If the copy of a fork is still incomplete after fifteen days, its start no longer exists: the
// first sweep of an hour purges the fork.
func TestAForkThatHasCopiedForTooLongIsPurged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		age  time.Duration
		sent time.Duration
		want string
	}{
		{"fifteen days", endedFor + time.Hour, time.Minute, "f/3 by retention"},
		{"a day", 24 * time.Hour, time.Minute, ""},
		{"a later sweep of the hour", endedFor + time.Hour, 10 * time.Minute, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, 0)
			now := s.at.Now()
			r := store.Record{Instance: "f", Name: "Main", ExecutionID: 3, FirstExecution: 3, Status: store.StatusForking, CreatedAt: now.Add(-c.age), UpdatedAt: now.Add(-c.age)}
			if err := s.Store.UpdateRecord(t.Context(), "f", store.RecordChange{Create: &r, UpdatedAt: now}); err != nil {
				t.Fatal(err)
			}
			m := &inbox.Message{}
			m.Item = wire.Item{Kind: wire.Sweep, SentMS: now.Truncate(time.Hour).Add(c.sent).UnixMilli()}
			if err := s.sweeper(Kept{}).freeForks(t.Context(), []*inbox.Message{m}); err != nil {
				t.Fatal(err)
			}
			if got := s.sent(); got != c.want {
				t.Errorf("purged are %q, want %q", got, c.want)
			}
		})
	}
}
