package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/sweep"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// atMinute advances the time to a minute of the next hour.
func (w *world) atMinute(n int) {
	now := w.clock.Now()
	w.clock.Advance(now.Truncate(time.Hour).Add(time.Hour + time.Duration(n)*time.Minute).Sub(now))
}

func (w *world) left(status store.Status) int {
	w.Helper()
	n, q := 0, store.ListQuery{Status: status, PageSize: store.MaxPageSize}
	for {
		page, err := w.store.List(context.Background(), q)
		if err != nil {
			w.Fatal(err)
		}
		n += len(page.Records)
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return n
		}
	}
}

func TestTheFirstSweepOfAnHourPurgesExpiredInstances(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.settings.Purge = host.PurgeSettings{Retention: 3 * time.Hour}
		w.orchestration("Main", chain(0))
		w.orchestration("Waits", waits("e"))
	})
	const many = sweep.MaxPurges + sweep.MaxPurges/2
	for i := range many {
		w.start(fmt.Sprint("a-", i), "Main", "1")
	}
	w.start("runs", "Waits", "1")
	w.settleFIFO()
	w.atMinute(1)
	w.sweepNow("soon")
	w.settleFIFO()
	if n := w.left(store.StatusCompleted); n != many {
		t.Fatalf("%d of %d are left within the time that they are to be kept", n, many)
	}
	w.clock.Advance(3 * time.Hour)
	w.atMinute(6)
	w.sweepNow("another of the hour")
	w.settleFIFO()
	if n := w.left(store.StatusCompleted); n != many {
		t.Errorf("%d of %d are left: a sweep that is not the first of its hour looks for them", n, many)
	}
	w.atMinute(1)
	w.sweepNow("first of the hour")
	w.settleFIFO()
	if n := w.left(store.StatusCompleted); n != many-sweep.MaxPurges {
		t.Errorf("%d are left behind the first sweep, want %d", n, many-sweep.MaxPurges)
	}
	w.runFor(time.Minute) // the next part of the sweep comes after a pause
	if n := w.left(store.StatusCompleted); n != 0 {
		t.Errorf("%d are left", n)
	}
	if turns, err := w.store.Read(t.Context(), "a-7", 1, 1); len(turns) != 0 || err != nil {
		t.Errorf("%d turns are left: %v", len(turns), err)
	}
	w.expectStatus("runs", store.StatusRunning)
	w.expectDead()
}

// fakeArchive keeps documents, and fails on request.
type fakeArchive struct {
	kept  map[string][]byte
	fails func(instance string) error
}

func (a *fakeArchive) Keep(_ context.Context, instance string, executionID int64, document []byte) error {
	if err := a.fails(instance); err != nil {
		return err
	}
	key := fmt.Sprint(instance, "#", executionID)
	if was, again := a.kept[key]; again && string(was) != string(document) {
		return fmt.Errorf("%s comes again and is another", key)
	}
	a.kept[key] = document
	return nil
}

func TestAnInstanceIsArchivedBeforeItsPurge(t *testing.T) {
	t.Parallel()
	const many = 150
	r := rand.New(rand.NewPCG(28, 1))
	archive := &fakeArchive{kept: map[string][]byte{}}
	failed, killed := 0, 0
	archive.fails = func(string) error {
		if r.IntN(3) == 0 {
			failed++
			return errors.New("the archive is down")
		}
		return nil
	}
	w := newWorld(t, func(w *world) {
		w.settings.Purge = host.PurgeSettings{Retention: time.Hour}
		w.archive = archive
		w.orchestration("Main", chain(0))
	})
	for i := range many {
		w.start(fmt.Sprint("a-", i), "Main", "1")
	}
	w.settleFIFO()
	w.clock.Advance(2 * time.Hour)
	w.beforeSend = func(_ string, out []queue.Outgoing) error {
		for _, m := range out {
			item, err := wire.Parse([]byte(m.Body))
			if err != nil || item.Kind != wire.PurgeInstance || item.UpToExecution > 0 {
				continue
			}
			if archive.kept[item.Instance+"#1"] == nil {
				t.Errorf("a purge of %s is sent ahead of its archive", item.Instance)
			}
		}
		return nil
	}
	w.logger = slog.New(slog.DiscardHandler)
	w.orchestrator = nil
	w.die = func() (bool, bool) {
		if killed < 20 && r.IntN(20) == 0 {
			killed++
			return true, r.IntN(2) == 0
		}
		return false, false
	}
	for i := 0; w.left(store.StatusCompleted) > 0; i++ {
		if i > 200 { // Each sweep stops at the first refusal.
			t.Fatalf("%d are left", w.left(store.StatusCompleted))
		}
		w.send(wire.Item{Kind: wire.Sweep, ID: fmt.Sprint("s-", i), Ended: wire.AllEnded})
		w.runFor(10 * time.Minute)
	}
	if failed == 0 || killed < 20 || len(archive.kept) != many {
		t.Errorf("%d failures, %d processes killed, %d of %d kept", failed, killed, len(archive.kept), many)
	}
	x, err := history.DecodeExport(archive.kept["a-3#1"])
	if err != nil || x.Instance != "a-3" || x.ExecutionID != 1 || len(x.Events) < 2 {
		t.Errorf("archived: %+v, %v", x, err)
	}
}
