package orchestrator

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// I-06: between the read of the record and that of the history another process
// changes custom status and search attributes, and the turn changes them back:
// what it read first is no reason to leave the change out.
func TestAStatusThatIsSetBackIsWrittenThoughTheRecordThatWasReadHasIt(t *testing.T) {
	t.Parallel()
	at := func(ctx *engine.Context, step string) error {
		ctx.SetCustomStatus([]byte(`"` + step + `"`))
		return ctx.SetSearchAttributes(history.SearchAttributes{"step": history.SearchTextOf(step)})
	}
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			for _, step := range []string{"a", "b", "a"} {
				if err := at(ctx, step); err != nil {
					return nil, err
				}
				if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
	})
	w.start("main", "Main", "1")
	w.run()
	s := &between{Store: w.store}
	o := w.another(w.process().cfg.Orchestrations, s)
	event := func(id string) []platform.Delivery {
		return w.deliveryOf(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "go", ID: id, Data: []byte("1")})
	}
	ctx := deadline{context.Background(), w.clock.Now().Add(w.limit)}
	s.happens = func() {
		if failed := w.process().o.Handle(ctx, event("first")); len(failed) > 0 {
			t.Error("the other process has handed its event back")
		}
	}
	if failed := o.Handle(ctx, event("second")); len(failed) > 0 {
		t.Fatal("the event was handed back")
	}
	r := w.record("main")
	if string(r.CustomStatus) != `"a"` || r.SearchAttributes["step"] != history.SearchTextOf("a") {
		t.Errorf("the third step has set a, and the record has %s and %s", r.CustomStatus, r.SearchAttributes)
	}
}
