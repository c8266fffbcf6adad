package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// P-02: what comes in one batch behind a purge is for the instance that is
// started next, as if it came by itself: the start begins it, the event waits for
// it. Killed behind any call, the batch comes again.
func TestAStartBehindAPurgeInOneBatchBeginsAnew(t *testing.T) {
	t.Parallel()
	start := func(id string) wire.Item {
		return wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: id, Input: []byte(`"` + id + `"`)}
	}
	event := func(id string) wire.Item {
		return wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: id}
	}
	purge := func(force bool) wire.Item {
		return wire.Item{Kind: wire.PurgeInstance, Instance: "a", ID: "purge", Force: force}
	}
	for name, c := range map[string]struct {
		before, batch []wire.Item
	}{
		"of one that has ended":  {[]wire.Item{start("1"), event("e1")}, []wire.Item{purge(false), start("2"), event("e2")}},
		"of one that runs":       {[]wire.Item{start("1")}, []wire.Item{purge(true), start("2"), event("e2")}},
		"events in front":        {[]wire.Item{start("1")}, []wire.Item{event("e1"), purge(false), event("e2"), start("2")}},
		"started in the batch":   {nil, []wire.Item{start("1"), purge(true), start("2"), event("e2")}},
		"one that is not there":  {nil, []wire.Item{purge(true), start("2"), event("e2")}},
		"purged already":         {[]wire.Item{start("1"), event("e1"), purge(false)}, []wire.Item{{Kind: wire.PurgeInstance, Instance: "a", ID: "other"}, start("2"), event("e2")}},
		"two starts, one to run": {[]wire.Item{start("1"), event("e1")}, []wire.Item{purge(false), start("2"), start("3"), event("e2")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for killAt := 0; ; killAt++ {
				w := newWorld(t, func(w *world) {
					w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
						_, err := ctx.Await(ctx.ExternalEvent("go"))
						return in, err
					})
				})
				for _, i := range c.before {
					w.send(i)
					w.settleFIFO()
				}
				var batch []Delivery
				for _, i := range c.batch {
					batch = append(batch, Delivery{queue.Message{ID: i.ID, Body: w.body(i), Group: "a", ReceiveCount: 1}, SourceOrchestrator})
				}
				handle := func() []string {
					return w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, batch)
				}
				p := w.process()
				if killAt > 0 {
					p.faults.killAt, p.faults.after = p.faults.calls+killAt, true
				}
				failed := handle()
				died := w.buried(p)
				if died {
					for i := range batch {
						batch[i].ReceiveCount = 2
					}
					failed = handle()
				}
				if len(failed) > 0 {
					t.Fatalf("killed behind call %d: handed back %v", killAt, failed)
				}
				w.runFor(time.Hour)
				if w.expectOutput("a", `"2"`); t.Failed() {
					t.Fatalf("killed behind call %d", killAt)
				}
				if killAt > 0 && !died {
					return // Every call has been tried.
				}
			}
		})
	}
}
