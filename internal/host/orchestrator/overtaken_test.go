package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// docs/guide/events.md says when the order in which a sender raised its events is
// not kept: these tests hold it to that.

// raised sends an event that is sealed by the named key, "" for one in plain.
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

// The build of before lacks the key that the first event is sealed with: that
// goes round, and what the sender raises after it is taken first. Nothing is
// lost, and nothing waits.
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

// The history has what the build of before does not know. What comes to that one
// goes round, and what comes after it, to the build that knows it, is taken first.
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

// So does an event that comes before the start.
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
