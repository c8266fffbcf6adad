package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/sweep"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
)

// atMinute lets time go to a minute of the hour that begins next.
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

func TestTheFirstSweepOfAnHourPurgesWhatWasKeptForLongEnough(t *testing.T) {
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
	w.runFor(time.Minute) // the sweep that goes on comes after a pause
	if n := w.left(store.StatusCompleted); n != 0 {
		t.Errorf("%d are left", n)
	}
	if turns, err := w.store.Read(t.Context(), "a-7", 1, 1); len(turns) != 0 || err != nil {
		t.Errorf("%d turns are left: %v", len(turns), err)
	}
	w.expectStatus("runs", store.StatusRunning)
	w.expectDead()
}

func TestAPurgeByRetentionNamesTheExecutionThatHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.settings.Purge = host.PurgeSettings{Retention: time.Hour}
		w.orchestration("Main", chain(0))
	})
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.clock.Advance(2 * time.Hour)
	var purges []string
	w.beforeSend = func(name string, out []queue.Outgoing) error {
		for _, m := range out {
			if name == "fifo" && strings.Contains(m.Body, `"PurgeInstance"`) {
				purges = append(purges, m.Body)
			}
		}
		return nil
	}
	w.send(wire.Item{Kind: wire.Sweep, ID: "s", Ended: wire.AllEnded})
	w.settleFIFO()
	if len(purges) == 0 || !strings.Contains(purges[0], `"execution_id":1`) || !strings.Contains(purges[0], `"actor":"retention"`) {
		t.Errorf("purges %q", purges)
	}
}

func TestAChildIsKeptWhileTheExecutionThatHasStartedItRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.settings.Purge = host.PurgeSettings{Retention: time.Hour}
		w.orchestration("Child", chain(0))
		w.orchestration("Parent", func(ctx *engine.Context, in []byte) ([]byte, error) {
			ctx.Child(engine.ChildCall{Name: "Child", Instance: "child", Input: in})
			return waits("e")(ctx, in)
		})
	})
	w.start("parent", "Parent", "1")
	w.settleFIFO()
	sweepEnded := func(id string) {
		w.clock.Advance(2 * time.Hour)
		w.send(wire.Item{Kind: wire.Sweep, ID: id, Ended: wire.AllEnded})
		w.settleFIFO()
	}
	sweepEnded("one")
	w.expectStatus("child", store.StatusCompleted)
	w.raise("parent", "e", "1", "e-1")
	w.settleFIFO()
	sweepEnded("two")
	for _, id := range []string{"parent", "child"} {
		if r := w.record(id); !r.Purged {
			t.Errorf("%s is %s, want it purged", id, r.Status)
		}
	}
}
