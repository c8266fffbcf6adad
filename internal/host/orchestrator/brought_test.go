package orchestrator

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// startWith is a start that uses the instance which has its id, and brings events.
func startWith(id, name string, data ...string) wire.Item {
	i := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: name, ID: id, Input: []byte("1"), OnConflict: wire.ConflictUseExisting}
	for _, d := range data {
		i.Events = append(i.Events, wire.StartEvent{Name: "e", Data: json.RawMessage(d)})
	}
	return i
}

// takes waits for two events.
func takes(ctx *engine.Context, _ []byte) ([]byte, error) {
	first, err := ctx.Await(ctx.ExternalEvent("e"))
	if err != nil {
		return nil, err
	}
	second, err := ctx.Await(ctx.ExternalEvent("e"))
	return fmt.Appendf(nil, "[%s,%s]", first, second), err
}

// An event that a start brings reaches the instance that is there, once.
func TestAStartRaisesItsEventsForTheInstanceThatHasItsID(t *testing.T) {
	t.Parallel()
	first := wire.Item{Kind: wire.StartOrchestration, Instance: "a", Name: "Main", ID: "first", Input: []byte("1")}
	two := startWith("second", "Main", "1", "2")
	for name, c := range map[string]struct {
		do      func(w *world)
		history string
	}{
		"it runs": {func(w *world) { w.send(first); w.settleFIFO(); w.send(two) },
			"Started Sub(e) Ev(e) Sub(e) Ev(e) Completed"},
		"none has it": {func(w *world) { w.send(two) },
			"Started Ev(e) Ev(e) Sub(e) Sub(e) Completed"},
		"another start wins in the same batch": {func(w *world) {
			w.process().handle(w.received(first, 1), w.received(two, 1))
		}, "Started Sub(e) Ev(e) Sub(e) Ev(e) Completed"},
		"the start comes twice": {func(w *world) {
			w.send(first)
			w.settleFIFO()
			one := startWith("second", "Main", "1")
			w.process().handle(w.received(one, 1))
			w.process().handle(w.received(one, 2))
			w.expectHistory("a", 1, "Started Sub(e) Ev(e) Sub(e)")
			w.raise("a", "e", "2", "e-2")
		}, "Started Sub(e) Ev(e) Sub(e) Ev(e) Completed"},
		"its own start comes twice": {func(w *world) {
			one := startWith("first", "Main", "1")
			w.process().handle(w.received(one, 1))
			w.process().handle(w.received(one, 2))
			w.raise("a", "e", "2", "e-2")
		}, "Started Ev(e) Sub(e) Sub(e) Ev(e) Completed"},
		"it is stuck": {func(w *world) {
			w.deploy("Main", func(*engine.Context, []byte) ([]byte, error) { panic("a mistake") })
			w.send(first)
			w.settleFIFO()
			w.send(two)
			w.settleFIFO()
			w.expectHistory("a", 1, "Started Ev(e) Ev(e)")
			w.deploy("Main", takes)
		}, "Started Ev(e) Ev(e) Sub(e) Sub(e) Completed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", takes)
			c.do(w)
			w.run()
			w.expectOutput("a", "[1,2]")
			w.expectHistory("a", 1, c.history)
			w.expectQuiet()
			w.expectDead()
			w.expectInvariants("a")
		})
	}
}

// It raises none where it may not use the instance, or nobody could take them.
func TestAStartRaisesNothingForAnInstanceThatItMayNotUse(t *testing.T) {
	t.Parallel()
	refuse := startWith("second", "Main", "1")
	refuse.OnConflict = wire.ConflictRefuse
	for name, second := range map[string]wire.Item{
		"it is to be refused":     refuse,
		"an orchestration that":   startWith("second", "Other", "1"),
		"it brings no event":      startWith("second", "Main"),
		"its id is the first one": startWith("start-a", "Main", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", takes)
			w.orchestration("Other", takes)
			w.start("a", "Main", "1")
			w.settleFIFO()
			w.process().handle(w.received(second, 1))
			w.expectHistory("a", 1, "Started Sub(e)")
			w.expectDead()
		})
	}
	w := newWorld(t, nil)
	w.orchestration("Main", func(*engine.Context, []byte) ([]byte, error) { return []byte("1"), nil })
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.process().handle(w.received(startWith("second", "Main", "1"), 1))
	w.expectStatus("a", store.StatusCompleted)
	w.expectHistory("a", 1, "Started Completed")
	w.expectCount(host.CountMessages, "exists", 1)
}
