package orchestrator

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// W-09: the killer leaves no fact, and the process that finds it out dies at
// any of its calls: the instance is woken all the same.
func TestAKillerWithoutAFactIsFoundOutAndTheInstanceIsWoken(t *testing.T) {
	t.Parallel()
	for k := range 8 {
		for _, after := range []bool{false, true} {
			w := newWorld(t, func(w *world) { w.orchestration("Main", waits("go")) })
			w.start("main", "Main", "1")
			w.run()
			w.send(wire.Item{Kind: wire.ActivityCompleted, Instance: "main", ExecutionID: 1, SourceEventID: 2, Token: strings.Repeat("0", 32), Result: []byte("0")})
			for range 4 {
				batch, err := w.fifo.Receive(t.Context(), 1, 0)
				if err != nil || len(batch) != 1 {
					t.Fatal(batch, err)
				}
				mark := batch[0].ID
				change := store.RecordChange{Suspect: &mark, UpdatedAt: w.clock.Now()}
				if err := w.store.UpdateRecord(t.Context(), "main", change); err != nil {
					t.Fatal(err)
				}
				if err := w.fifo.SetVisibility(t.Context(), 0, batch[0]); err != nil {
					t.Fatal(err)
				}
			}
			w.process().killAt, w.process().after = k, after
			w.runFor(10 * time.Minute)
			w.raise("main", "go", "1", "e")
			w.runFor(10 * time.Hour)
			if w.expectStatus("main", store.StatusCompleted); t.Failed() {
				t.Fatalf("killed at call %d, after it %t", k, after)
			}
		}
	}
}
