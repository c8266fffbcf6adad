package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// Rule 11: while a late copy of an event that is in history reads the instance,
// a process with a broken build parks another event and marks the instance. The
// copy leaves no fact, and does not take the instance on: nobody would answer
// for what that asked for if its process died.
func TestACopyOfAnEventDoesNotTakeOnWhatWasParkedWhileItRead(t *testing.T) {
	t.Parallel()
	right := func(ctx *engine.Context, _ []byte) ([]byte, error) {
		for _, name := range []string{"first", "second"} {
			if _, err := ctx.Await(ctx.ExternalEvent(name)); err != nil {
				return nil, err
			}
		}
		_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")})
		return nil, err
	}
	w := newWorld(t, func(w *world) {
		w.orchestration("Main", right)
		w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
	})
	w.start("main", "Main", "1")
	w.run()
	first := wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "first", ID: "first", Data: []byte("1")}
	w.send(first)
	w.run()
	good := w.process().o.Orchestrations
	w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("broken") })
	s := &between{Store: w.store}
	s.happens = func() {
		w.raise("main", "second", "2", "second")
		w.settleFIFO()
	}
	p := &faults{}
	o, err := NewOrchestrator(OrchestratorConfig{Orchestrations: good, Store: s, Stops: w.stops,
		Queues: w.queues(p), Timer: w.timer, Keys: w.ring(), Settings: w.settings, Clock: w.clock, Random: w.random})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	p.kill() // It sends nothing any more.
	o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{{queue.Message{ID: "copy", Body: w.body(first), ReceiveCount: 2}, SourceOrchestrator}})
	w.expectStatus("main", store.StatusStuck)
	w.deploy("Main", right)
	w.runFor(time.Hour)
	w.expectOutput("other", "1")
}
