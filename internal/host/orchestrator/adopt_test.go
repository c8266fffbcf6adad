package orchestrator

import (
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func useExisting(name, id string) engine.ChildCall {
	return engine.ChildCall{Name: name, Instance: id, UseExisting: true}
}

func TestP03AParentMayUseAnExistingInstance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		// first is what happens to the instance before the parent finds it; then is what happens
		// while the parent waits.
		first, then func(w *world)
		want        string
		history     string
	}{
		{"it runs, and completes", nil, func(w *world) { w.raise("o", "e", "1", "e-1") }, "[1]",
			"Started Sub(e) ParentAttached Ev(e) Completed"},
		{"it has completed", func(w *world) { w.raise("o", "e", "1", "e-1") }, nil, "[1]",
			"Started Sub(e) Ev(e) Completed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Other", waits("e"))
			w.orchestration("Parent", kindOf(useExisting("Other", "o")))
			w.start("o", "Other", "1")
			if c.first != nil {
				c.first(w)
			}
			w.settleFIFO()
			w.start("p", "Parent", "1")
			w.settleFIFO()
			// An operator's wake sends the start again, and the repeat is recognized.
			w.send(wire.Item{Kind: wire.Wake, Instance: "p", ID: "again"})
			w.settleFIFO()
			if c.then != nil {
				w.expectStatus("p", store.StatusRunning)
				c.then(w)
			}
			w.run()
			w.expectOutput("p", c.want)
			w.expectHistory("o", 1, c.history)
			w.expectQuiet()
			w.expectDead()
			w.expectInvariants("p", "o")
		})
	}
}
