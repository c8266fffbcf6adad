package orchestrator

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
)

// A message that may be another's by now, and what stands behind it in its group, is
// handed back untouched; other groups are handled.
func TestAMessageThatMayBeAnothersIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return ctx.Await(ctx.ExternalEvent("go"))
	})
	for _, id := range []string{"a", "b"} {
		w.start(id, "Main", "1")
	}
	w.run()
	late, behind, other := w.received(raised("1"), 1), w.received(raised("2"), 1), w.received(raised("3"), 1)
	late.ReceivedAt = w.clock.Now().Add(-2 * time.Minute)
	item := raised("3")
	item.Instance = "b"
	other.Body, other.Group = w.body(item), "b"
	if failed := w.process().handle(late, behind, other); fmt.Sprint(failed) != "[1 2]" {
		t.Errorf("handed back: %v", failed)
	}
	w.expectCount(host.CountHandedBack, "visibility", 2)
	w.expectOutput("b", "1")
	if r := w.record("a"); r.Status.Terminal() {
		t.Errorf("a is %s", r.Status)
	}
}
