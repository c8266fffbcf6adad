package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/queue"
)

func TestE04ASenderGivesNoID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e", "e"))
	// Before the start: the message id must stay with the event across the hop.
	for range 2 {
		if err := w.delay.Send(t.Context(), queue.Outgoing{Body: `{"kind":"ExternalRaised","instance":"a","name":"e","data":1}`}); err != nil {
			t.Fatal(err)
		}
	}
	w.runFor(time.Minute)
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", "[1,1]")
	for _, e := range w.events("a", 1) {
		if e.Name == "e" && e.Payload != nil && e.SenderID == "" {
			t.Errorf("event %d has no sender id", e.EventID)
		}
	}
}

func TestE01APayloadThatIsNullOrAbsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		for _, want := range []string{"null", ""} {
			data, err := ctx.Await(ctx.ExternalEvent("e"))
			if err != nil || string(data) != want {
				return []byte(`"wrong"`), err
			}
		}
		return in, nil
	})
	w.start("a", "Main", "1")
	for _, data := range []string{`,"data":null`, ""} {
		if err := w.fifo.Send(t.Context(), queue.Outgoing{Group: "a", Body: `{"kind":"ExternalRaised","instance":"a","name":"e"` + data + `}`}); err != nil {
			t.Fatal(err)
		}
	}
	w.run()
	w.expectOutput("a", "1")
}
