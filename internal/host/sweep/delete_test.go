package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

const day = 24 * time.Hour

// shelf has a Keeper and an instance "loop", and writes down the operations of the Keeper in order.
type shelf struct {
	*testing.T
	Keeper
	store.Store
	host.NoObserver
	at          *clock.Virtual
	fifo, delay *memory.Queue
	script      []string
	// fails are the errors of the next calls, by the word with which a call is written down.
	fails map[string]error
	left  time.Duration
	// child is the instance that the second execution has started; empty for none.
	child string
}

func newShelf(t *testing.T, keeps int64) *shelf {
	at := clock.NewVirtual(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	fifo, err := memory.New(memory.Options{FIFO: true, Clock: at})
	if err != nil {
		t.Fatal(err)
	}
	delay, err := memory.New(memory.Options{Clock: at})
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{T: t, fifo: fifo, delay: delay, Store: memorystore.New(), at: at, fails: map[string]error{}}
	settings := host.DefaultSettings()
	settings.Purge.Page = 1000
	s.Keeper = Keeper{Store: s, Archive: shelfArchive{s}, Keeps: func(string) int64 { return keeps },
		Settler: &inbox.Settler{Clock: at, Observer: s, Logger: slog.New(slog.DiscardHandler), Settings: &settings, Edge: edge.New(nil, wire.Limits{}),
			Queues: platform.Queues{Orchestrator: fifo, Delay: delay}}}
	return s
}

// do writes down an operation, and returns its error in fails.
func (s *shelf) do(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	s.script = append(s.script, text)
	return s.fails[text]
}

func (s *shelf) UpdateRecord(ctx context.Context, instance string, c store.RecordChange) error {
	if c.FirstExecution != nil {
		if err := s.do("keeps from %d", *c.FirstExecution); err != nil {
			return err
		}
	}
	return s.Store.UpdateRecord(ctx, instance, c)
}

func (s *shelf) DeleteHistory(ctx context.Context, instance string, upTo int64, page int) (bool, error) {
	if err := s.do("deletes to %d", upTo); err != nil {
		return false, err
	}
	return s.Store.DeleteHistory(ctx, instance, upTo, page)
}

func (s *shelf) Read(ctx context.Context, instance string, n, from int64) ([]store.Turn, error) {
	if err := s.fails[fmt.Sprint("reads ", n)]; err != nil {
		return nil, err
	}
	return s.Store.Read(ctx, instance, n, from)
}

// Count writes down the outcome of messages.
func (s *shelf) Count(c host.Counter, word string, _ int) {
	if c == host.CountMessages || c == host.CountDelayed || c == host.CountReturned {
		s.script = append(s.script, word)
	}
}

// shelfArchive is the archive of a shelf.
type shelfArchive struct{ *shelf }

func (a shelfArchive) Keep(_ context.Context, _ string, n int64, _ []byte) error {
	return a.do("archives %d", n)
}

// holds adds ended executions, with the given times since their end, and a running one.
func (s *shelf) holds(ages ...time.Duration) *shelf {
	s.Helper()
	last := int64(len(ages)) + 1
	r := &store.Record{Instance: "loop", Name: "Loop", ExecutionID: last, FirstExecution: 1, Status: store.StatusRunning}
	for i, age := range append(ages, 0) {
		n := int64(i) + 1
		events := []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Start: &history.Start{}}}
		if n == 2 && s.child != "" {
			events = append(events, history.Event{EventID: 2, Kind: history.SubOrchestrationScheduled, Instance: s.child})
		}
		if n < last {
			events = append(events, history.Event{EventID: int64(len(events)) + 1, Kind: history.OrchestrationContinuedAsNew, AtMS: s.at.Now().Add(-age).UnixMilli()})
		}
		c := store.Commit{Turns: []store.Turn{{Instance: "loop", ExecutionID: n, Token: "t", Events: events}}}
		if n == last {
			c.Record = &store.RecordChange{Create: r}
		}
		if err := s.Commit(s.Context(), c); err != nil {
			s.Fatal(err)
		}
	}
	return s
}

// takes gives the Keeper a request with the given receive count.
func (s *shelf) takes(receives int, item wire.Item) *shelf {
	item.V, item.Kind, item.Instance, item.ID = wire.Version, wire.PurgeInstance, "loop", "r"
	m := &inbox.Message{Delivery: platform.Delivery{Message: queue.Message{ID: "m", ReceiveCount: receives}, Source: platform.SourceOrchestrator}, Item: item}
	ctx, cancel := context.WithDeadline(s.Context(), s.at.Now().Add(time.Hour))
	defer cancel()
	if s.left > 0 {
		ctx, cancel = context.WithDeadline(s.Context(), s.at.Now().Add(s.left))
		defer cancel()
	}
	s.Delete(ctx, []*inbox.Message{m})
	if m.State == inbox.Unsettled {
		s.Error("the message is neither settled nor handed back")
	}
	return s
}

// expect checks the operations written down so far, and clears them.
func (s *shelf) expect(want string) {
	s.Helper()
	if got := strings.Join(s.script, "; "); got != want {
		s.Errorf("\n%s\nwant\n%s", got, want)
	}
	s.script = nil
}

// expectKept checks which executions are stored.
func (s *shelf) expectKept(first, last int64) {
	s.Helper()
	var there []int64
	for n := int64(1); n <= 20; n++ {
		if turns, err := s.Store.Read(s.Context(), "loop", n, 1); len(turns) > 0 || err != nil {
			there = append(there, n)
		}
	}
	var want []int64
	for n := first; n <= last; n++ {
		want = append(want, n)
	}
	if !slices.Equal(there, want) {
		s.Errorf("executions %d are there, want %d", there, want)
	}
}

func upTo(n int64) wire.Item { return wire.Item{UpToExecution: n} }

// due returns a deletion that a purge has scheduled.
func due(n int64) wire.Item { return wire.Item{UpToExecution: n, NotBeforeMS: 1} }

// purged hides the instance of a shelf.
func (s *shelf) purged() *shelf {
	r, err := s.Describe(s.Context(), "loop")
	if err == nil {
		ended := store.StatusTerminated
		err = s.Store.UpdateRecord(s.Context(), "loop", store.RecordChange{Status: &ended})
	}
	if err == nil {
		err = s.Hide(s.Context(), "loop", r.ExecutionID, s.at.Now().Add(15*day))
	}
	if err != nil {
		s.Fatal(err)
	}
	return s
}

// O-11: first the archive, then the record, then the deletion.
func TestO11ARequestPrunesUnneededExecutions(t *testing.T) {
	t.Parallel()
	old, down := 16*day, errors.New("down")
	for _, c := range []struct {
		name  string
		keeps int64
		// set prepares the shelf.
		set  func(s *shelf)
		item wire.Item
		want string
	}{
		{name: "all that is asked for", keeps: 2, item: upTo(3), want: "archives 1; archives 2; archives 3; keeps from 4; deletes to 3; deleted"},
		{name: "less than could be", keeps: 1, item: upTo(1), want: "archives 1; keeps from 2; deletes to 1; deleted"},
		{name: "no archive", keeps: 2, set: func(s *shelf) { s.Archive = nil }, item: upTo(3), want: "keeps from 4; deletes to 3; deleted"},
		{name: "one that is kept", keeps: 2, item: upTo(4), want: "purge_refused"},
		{name: "the one that runs", keeps: 1, item: upTo(5), want: "purge_refused"},
		{name: "this build keeps all", keeps: 0, item: upTo(1), want: "purge_refused"},
		{name: "the archive is down", keeps: 2, set: func(s *shelf) { s.fails["archives 2"] = down }, item: upTo(3), want: "archives 1; archives 2; keeps from 2; deletes to 1; deleted"},
		{name: "the archive is down from the first on", keeps: 2, set: func(s *shelf) { s.fails["archives 1"] = down }, item: upTo(3), want: "archives 1; prune_spared"},
		{name: "one cannot be read", keeps: 2, set: func(s *shelf) { s.fails["reads 2"] = down }, item: upTo(3), want: "archives 1; keeps from 2; deletes to 1; deleted"},
		{name: "another prunes at the same time", keeps: 2, set: func(s *shelf) { s.fails["keeps from 4"] = store.ErrConflict }, item: upTo(3), want: "archives 1; archives 2; archives 3; keeps from 4; conflict"},
		{name: "the deletion fails", keeps: 2, set: func(s *shelf) { s.fails["deletes to 3"] = store.ErrUnavailable }, item: upTo(3),
			want: "archives 1; archives 2; archives 3; keeps from 4; deletes to 3; store unavailable"},
		{name: "no time is left", keeps: 2, set: func(s *shelf) { s.left = s.Settings.Turn.MinRemaining - 1 }, item: upTo(3), want: "no time"},
		{name: "a corrupt instance", keeps: 2, set: func(s *shelf) {
			problem, stamp := &store.Problem{Kind: store.ProblemCorrupt}, int64(1)
			if err := s.Store.UpdateRecord(s.Context(), "loop", store.RecordChange{Problem: &problem, Stamp: &stamp}); err != nil {
				s.Fatal(err)
			}
		}, item: upTo(3), want: "purge_refused"},
		// A damaged execution is deleted together with the one after it. If there is an archive,
		// the damaged execution stays, because it cannot be archived.
		{name: "a damaged one, without an archive", keeps: 2, set: func(s *shelf) {
			s.Archive, s.fails["reads 2"] = nil, &store.CorruptError{}
		}, item: upTo(3), want: "keeps from 4; deletes to 3; deleted"},
		{name: "a damaged one that is the last, without an archive", keeps: 2, set: func(s *shelf) {
			s.Archive, s.fails["reads 3"] = nil, &store.CorruptError{}
		}, item: upTo(3), want: "keeps from 3; deletes to 2; deleted"},
		{name: "a damaged one, with an archive", keeps: 2, set: func(s *shelf) { s.fails["reads 2"] = &store.CorruptError{} }, item: upTo(3),
			want: "archives 1; keeps from 2; deletes to 1; deleted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, c.keeps).holds(old, old, old, old)
			if c.set != nil {
				c.set(s)
			}
			s.takes(1, c.item).expect(c.want)
		})
	}
}

// O-11: a message that is still applied may need an execution that ended less than fifteen days
// ago.
func TestO11AnExecutionIsSparedForFifteenDaysAfterItsEnd(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 1).holds(17*day, 15*day+time.Hour, 15*day-time.Hour, 20*day)
	s.takes(1, upTo(4)).expect("archives 1; archives 2; keeps from 3; deletes to 2; deleted")
	s.expectKept(3, 5)
	s.takes(1, upTo(4)).expect("prune_spared")
	s.at.Advance(2 * time.Hour)
	s.takes(1, upTo(4)).expect("archives 3; archives 4; keeps from 5; deletes to 4; deleted")
	s.expectKept(5, 5)
}

// O-11: if the process of a request died after it had changed the record, the redelivered request
// deletes the hidden executions, at once or an hour later. If the request had found nothing to
// prune, the redelivered request deletes nothing.
func TestO11ARedeliveredRequestDeletesWhatItHasHidden(t *testing.T) {
	t.Parallel()
	old := 16 * day
	s := newShelf(t, 2).holds(old, old, time.Hour, time.Hour)
	s.fails["deletes to 2"] = store.ErrUnavailable
	s.takes(1, upTo(3)).expect("archives 1; archives 2; keeps from 3; deletes to 2; store unavailable")
	s.expectKept(1, 5)
	clear(s.fails)
	s.takes(2, upTo(3)).expect("deletes to 2; deleted")
	s.expectKept(3, 5)

	s = newShelf(t, 2).holds(old, old, time.Hour, time.Hour)
	s.fails["deletes to 2"] = store.ErrUnavailable
	s.takes(1, upTo(2)).expect("archives 1; archives 2; keeps from 3; deletes to 2; store unavailable")
	clear(s.fails)
	s.takes(2, upTo(2)).expect("grace")
	s.takes(1, due(2)).expect("deletes to 2; deleted")
	s.expectKept(3, 5)

	s = newShelf(t, 2).holds(time.Hour, time.Hour, time.Hour)
	s.takes(2, upTo(2)).expect("prune_spared")
	s.expectKept(1, 4)
}

// O-11: if a deletion is lost because its message became a dead letter, the next prune or the purge
// makes up for it: both start with the oldest stored execution.
func TestO11TheNextPruneOrThePurgeRepeatsALostDeletion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		next       func(s *shelf) *shelf
		left       int64
	}{
		{name: "the next prune", next: func(s *shelf) *shelf { return s.takes(1, upTo(3)) }, want: "archives 3; keeps from 4; deletes to 3; deleted", left: 4},
		{name: "the purge", next: func(s *shelf) *shelf { return s.purged().takes(1, due(5)) }, want: "deletes to 5; deleted", left: 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			old := 16 * day
			s := newShelf(t, 2).holds(old, old, old, old)
			s.fails["deletes to 2"] = store.ErrUnavailable
			s.takes(1, upTo(2)).expect("archives 1; archives 2; keeps from 3; deletes to 2; store unavailable")
			c.next(s).expect(c.want)
			s.expectKept(c.left, 5)
		})
	}
}

// O-11: an execution stays while a child that it started is running. A child that has ended, was
// purged, or now belongs to a different execution does not keep it.
func TestO11AnExecutionWhoseChildRunsIsSpared(t *testing.T) {
	t.Parallel()
	spares, prunes := "archives 1; keeps from 2; deletes to 1; deleted", "archives 1; archives 2; archives 3; keeps from 4; deletes to 3; deleted"
	for _, c := range []struct {
		name  string
		child store.Record
		want  string
	}{
		{"it runs", store.Record{Status: store.StatusRunning, Parent: &history.Parent{Instance: "loop", ExecutionID: 2}}, spares},
		{"it has ended", store.Record{Status: store.StatusCompleted, Parent: &history.Parent{Instance: "loop", ExecutionID: 2}}, prunes},
		{"another execution has started it", store.Record{Status: store.StatusRunning, Parent: &history.Parent{Instance: "loop", ExecutionID: 4}}, prunes},
		{"another instance has started it", store.Record{Status: store.StatusRunning, Parent: &history.Parent{Instance: "other", ExecutionID: 2}}, prunes},
		{"it has no parent any more", store.Record{Status: store.StatusRunning}, prunes},
		{"it was purged", store.Record{Purged: true}, prunes},
		{"it is not there", store.Record{}, prunes},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newShelf(t, 2)
			s.child = "child"
			s.holds(16*day, 16*day, 16*day, 16*day)
			if r := c.child; r.Status != "" || r.Purged {
				r.Instance, r.ExecutionID, r.Name = "child", 1, "Child"
				if err := s.Store.UpdateRecord(t.Context(), "child", store.RecordChange{Create: &r}); err != nil {
					t.Fatal(err)
				}
			}
			s.takes(1, upTo(3)).expect(c.want)
		})
	}
}

// O-11: when a build without pruning restarts the instance, it may reset the number of the first
// execution. Missing executions before the first stored one are skipped.
func TestO11AFirstExecutionThatAnOlderBuildSetsBackMovesOnAgain(t *testing.T) {
	t.Parallel()
	for _, archives := range []bool{false, true} {
		t.Run(fmt.Sprint("there is an archive: ", archives), func(t *testing.T) {
			t.Parallel()
			old := 16 * day
			s := newShelf(t, 2).holds(old, old, old, old)
			s.takes(1, upTo(2)).expect("archives 1; archives 2; keeps from 3; deletes to 2; deleted")
			first, pruned := int64(1), int64(0)
			if err := s.Store.UpdateRecord(t.Context(), "loop", store.RecordChange{FirstExecution: &first, Pruned: &pruned}); err != nil {
				t.Fatal(err)
			}
			want := "archives 3; keeps from 4; deletes to 3; deleted"
			if !archives {
				s.Archive, want = nil, "keeps from 4; deletes to 3; deleted"
			}
			s.takes(1, upTo(3)).expect(want)
			s.expectKept(4, 5)
		})
	}
}

// O-04: the deletion of a purge works in pages, and if time runs out, a message continues it.
// Histories that were not hidden stay, and a deletion requested by hand waits for its hour. Each
// deletion is counted (I-07).
func TestO04ADeletionDeletesHiddenHistories(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 0).holds(time.Hour, time.Hour)
	s.takes(1, due(3)).expect("purge_refused")
	s.expectKept(1, 3)
	s.purged().takes(1, due(4)).expect("purge_refused")
	s.takes(1, upTo(3)).expect("grace")
	if n := len(s.delay.Snapshot()); n != 1 {
		t.Errorf("%d messages go round", n)
	}
	s.expectKept(1, 3)
	s.Settings.Purge.Page = 1
	s.takes(1, due(3)).expect("deletes to 3; deletes to 3; deletes to 3; deleted")
	s.expectKept(1, 0)

	s = newShelf(t, 0).holds(time.Hour, time.Hour).purged()
	s.Settings.Purge.Page = 1
	s.Keeper.Store = slowDeletion{s}
	s.left = s.Settings.Turn.MinRemaining
	s.takes(1, due(3)).expect("deletes to 3; deleting")
	if n := len(s.fifo.Snapshot()); n != 1 {
		t.Errorf("%d messages follow", n)
	}
	s.takes(1, due(3)).expect("deletes to 3; deleting")

	s = newShelf(t, 0)
	s.takes(1, due(1)).expect("purge_refused")
}

// slowDeletion takes a second for each page.
type slowDeletion struct{ *shelf }

func (d slowDeletion) DeleteHistory(ctx context.Context, instance string, upTo int64, page int) (bool, error) {
	d.at.Advance(time.Second)
	return d.shelf.DeleteHistory(ctx, instance, upTo, page)
}
