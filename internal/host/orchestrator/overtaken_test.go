package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// docs/guide/events.md says when a sender's events may arrive out of order. These tests check that
// page.

// raised sends an event encrypted with the named key; "" for plain text.
func (w *world) raised(n int, key string) {
	w.Helper()
	item := wire.Item{V: 1, Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: fmt.Append(nil, n), ID: fmt.Sprint("e-", n)}
	if key != "" {
		var err error
		if item, err = setOf(w, keyOf(w, key)).EncodeItem(item); err != nil {
			w.Fatal(err)
		}
	}
	w.send(item)
}

func TestEventsOfOneSenderKeepTheirOrderUnlessOneIsRequeued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.codecs = setOf(t, keyOf(t, "b"), keyOf(t, "a")) })
	w.orchestration("Main", waits("e", "e", "e"))
	w.start("a", "Main", "1")
	for n, key := range []string{"b", "", "a"} {
		w.raised(n, key)
	}
	w.run()
	w.expectOutput("a", "[0,1,2]")
	w.expectQuiet()
}

// The earlier build does not have the key of the first event. That event is requeued, and the
// sender's later events are handled first. Nothing is lost, and nothing waits.
func TestLaterEventsOvertakeAnEventWhoseKeyABuildLacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.codecs = setOf(t, keyOf(t, "a")) })
	w.orchestration("Main", waits("e", "e", "e"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.raised(0, "b")
	w.settleFIFO()
	w.raised(1, "a")
	w.raised(2, "")
	w.runFor(time.Second)
	w.expectHistory("a", 1, "Started Sub(e) Ev(e) Sub(e) Ev(e) Sub(e)")
	w.codecs = setOf(t, keyOf(t, "b"), keyOf(t, "a"))
	w.restart()
	w.run()
	w.expectOutput("a", "[1,2,0]")
	w.expectDead()
	w.expectQuiet()
	w.expectInvariants("a")
}

// The history has something that the earlier build does not know. An event that the earlier build
// receives is requeued, and a later event that the newer build receives is handled first.
func TestLaterEventsOvertakeAnEventThatAnOlderBuildReceives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e", "e"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	w.restart()
	w.newer = true
	w.raised(0, "")
	w.runFor(time.Second)
	w.expectHistory("a", 1, "Started Sub(e)")
	w.newer = false
	w.raised(1, "")
	w.run()
	w.expectOutput("a", "[1,0]")
	w.expectDead()
	w.expectQuiet()
	w.expectInvariants("a")
}

// So is an event that arrives before the start.
func TestLaterEventsOvertakeAnEventThatPrecedesTheStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e", "e"))
	w.raised(0, "")
	w.runFor(time.Second)
	w.start("a", "Main", "1")
	w.raised(1, "")
	w.run()
	w.expectOutput("a", "[1,0]")
	w.expectDead()
	w.expectQuiet()
}
