package orchestrator

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func TestO04Purge(t *testing.T) {
	t.Parallel()
	purge := func(id string, force bool) wire.Item {
		return wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: id, Force: force}
	}
	for _, force := range []bool{false, true} {
		t.Run(fmt.Sprintf("hidden at once, deleted after an hour, forced %t", force), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.settings.Purge.Page = 1 })
			w.orchestration("Main", waits("e", "f"))
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.raise("a", "e", "1", "e")
			w.settleFIFO()
			if !force {
				w.raise("a", "f", "1", "f")
			}
			w.settleFIFO()
			ended := w.clock.Now()
			w.send(purge("p", force))
			w.settleFIFO()
			r := w.record("a")
			if !r.Purged || r.ExecutionID != 1 || r.StartID != "start-a" || r.Name != "" {
				t.Fatalf("record %+v", r)
			}
			w.runFor(ended.Add(time.Hour - time.Second).Sub(w.clock.Now()))
			if n := len(w.turns("a", 1)); n < 3 {
				t.Errorf("%d turns are left before the grace is over", n)
			}
			w.run()
			if turns, err := w.store.Read(t.Context(), "a", 1, 1); len(turns) != 0 || err != nil {
				t.Errorf("%d turns are left: %v", len(turns), err)
			}
			// A repeated purge and late messages have no effect.
			w.send(purge("again", true))
			w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "start-a", Input: []byte("9")})
			w.run()
			if !w.record("a").Purged {
				t.Error("a late redelivery revived a purged run")
			}
			// When the id is free again, it starts with the next execution number.
			w.clock.Advance(15 * 24 * time.Hour)
			w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "new"})
			w.raise("a", "e", "1", "e")
			w.raise("a", "f", "2", "f")
			w.run()
			w.expectOutput("a", "[1,2]")
			if r := w.record("a"); r.ExecutionID != 2 || r.FirstExecution != 2 {
				t.Errorf("record %+v", r)
			}
			w.expectQuiet()
			w.expectDead()
			w.expectInvariants("a")
		})
	}
	t.Run("an instance that ended a month ago is deleted at once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", chain(0))
		w.start("a", "Main", "1")
		w.run()
		w.clock.Advance(30 * 24 * time.Hour)
		w.send(purge("p", false))
		w.run()
		if turns, err := w.store.Read(t.Context(), "a", 1, 1); len(turns) != 0 || err != nil || !w.record("a").Purged {
			t.Errorf("%d turns are left: %v", len(turns), err)
		}
		w.expectDead()
	})
	t.Run("a writer that stalled before the purge can't commit afterwards", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e"))
		w.start("a", "Main", "1")
		w.settleFIFO()
		var stalled *store.Commit
		w.beforeCommit = func(c *store.Commit) error {
			copied := *c
			stalled = &copied
			w.beforeCommit = nil
			return errors.New("it stalls")
		}
		w.raise("a", "e", "1", "e")
		w.settleFIFO()
		w.send(purge("p", true))
		w.runFor(30 * time.Minute)
		if err := w.store.Commit(t.Context(), *stalled); !errors.Is(err, store.ErrConflict) {
			t.Errorf("the stalled commit: %v, want a conflict", err)
		}
	})
	t.Run("killed at each call", func(t *testing.T) {
		t.Parallel()
		for k := 1; k <= 14; k++ {
			for _, after := range []bool{false, true} {
				w := newWorld(t, func(w *world) { w.settings.Purge.Page = 1 })
				w.orchestration("Main", waits("e"))
				w.start("a", "Main", "1")
				w.settleFIFO()
				w.process().calls, w.process().killAt, w.process().after = 0, k, after
				w.send(purge("p", true))
				w.run()
				if turns, err := w.store.Read(t.Context(), "a", 1, 1); !w.record("a").Purged || len(turns) > 0 || err != nil {
					t.Errorf("killed at %d, after %t: %+v, %d turns, %v", k, after, w.record("a"), len(turns), err)
				}
				w.expectQuiet()
			}
		}
	})
}
