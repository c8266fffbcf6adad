package orchestrator

import (
	"maps"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// copiedWorld returns a world with orchestrations that have messages to dispatch.
func copiedWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		w.activityFunc("Step", step)
		w.orchestration("Steps", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")}))
		})
		w.orchestration("Rounds", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if string(in) == "2" {
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte("1")}))
			}
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return nil, ctx.ContinueAsNew("", []byte("2"), nil)
		})
		w.orchestration("Loop", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			if _, err := ctx.Detach(engine.ChildCall{Name: "Ends", Instance: "detached" + string(in), Input: in}); err != nil || string(in) == "3" {
				return in, err
			}
			return nil, ctx.ContinueAsNew("", []byte{in[0] + 1}, nil)
		})
		w.orchestration("Ends", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			return []byte("11"), nil
		})
		w.orchestration("Parent", func(ctx *engine.Context, _ []byte) ([]byte, error) {
			v, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Ends", Instance: "child", Input: []byte("1")}))
			if err != nil {
				return []byte("11"), nil // The child was terminated.
			}
			return v, nil
		})
	})
}

// W-03: a standard queue delivers each message twice at once, both times as its first delivery, and
// the process with the first copy dies after any of its calls. Neither process reads a store, and
// the effect of the message happens once.
func TestAMessageDeliveredTwiceByAStandardQueueCausesOneTurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start, root string
		item        wire.Item
	}{
		"an event":                       {"Steps", "a", wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"}},
		"an event that continues as new": {"Rounds", "a", wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"}},
		"an event that ends a child":     {"Parent", "a", wire.Item{Kind: wire.ExternalRaised, Instance: "child", Name: "go", Data: []byte("1"), ID: "e"}},
		"a terminate of a child":         {"Parent", "a", wire.Item{Kind: wire.TerminateInstance, Instance: "child", ID: "t", Reason: "enough"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for killAt := 1; ; killAt++ {
				w := copiedWorld(t)
				w.start(c.root, c.start, "1")
				w.settleFIFO()
				w.settleFIFO()
				body := w.body(c.item)
				died := w.deliver("m", body, 1, platform.SourceDelay, killAt)
				w.restart()
				w.deliver("m", body, 1, platform.SourceDelay, 0)
				if n := w.process().faults.calls; n != 1 {
					t.Errorf("%d calls for a message of the delay queue, want one, which sends it on", n)
				}
				if n := len(w.fifo.Peek()); n != 1 {
					t.Errorf("%d messages in the FIFO queue, want 1", n)
				}
				w.run()
				if w.expectOutput(c.root, "11"); t.Failed() {
					t.Fatalf("killed behind call %d", killAt)
				}
				if !died {
					return // Every call has been tried.
				}
			}
		})
	}
}

// M-01: a message that is delivered again hours later is a duplicate and resends nothing. Otherwise
// each duplicate of a timer would create a duplicate of the next timer.
func TestARepeatFromAStandardQueueResendsNothing(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"m", "another"} {
		w := copiedWorld(t)
		w.start("a", "Steps", "1")
		w.settleFIFO()
		body := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", Data: []byte("1"), ID: "e"})
		w.deliver("m", body, 1, platform.SourceDelay, 0)
		w.settleFIFO()
		w.clock.Advance(time.Hour)
		w.deliver(id, body, 2, platform.SourceDelay, 0)
		w.settleFIFO()
		if n := len(w.activity.Peek()); n != 1 {
			t.Errorf("%d messages for the activity, want 1", n)
		}
		w.run()
		w.expectOutput("a", "11")
	}
}

// M-15: the FIFO queue keeps the mark of a message that was redriven, or was handled before it was
// requeued.
func TestARedrivenOrRequeuedMessageIsRecognizedInTheFIFOQueue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ given, want map[string]string }{
		"a first delivery":   {nil, nil},
		"redriven":           {map[string]string{wire.RedriveAttribute: "1"}, map[string]string{wire.RedriveAttribute: "1"}},
		"redriven by SQS":    {map[string]string{wire.ReasonAttribute: "unknown_instance: x"}, map[string]string{wire.RedriveAttribute: "1"}},
		"it has been round":  {map[string]string{wire.RedriveAttribute: inbox.HopMark}, map[string]string{wire.RedriveAttribute: inbox.HopMark}},
		"anything else goes": {map[string]string{"own": "1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := copiedWorld(t)
			w.give(platform.Delivery{Message: queue.Message{ID: "m", Body: w.body(eventOf("m")), ReceiveCount: 3, Attributes: c.given}, Source: platform.SourceDelay})
			if got := w.fifo.Peek(); len(got) != 1 || !maps.Equal(got[0].Attributes, c.want) {
				t.Errorf("the FIFO queue has %v, want one message with %v", got, c.want)
			}
		})
	}
}

// A message that the FIFO queue never accepts is a dead letter at once, not only ten days later
// through its queue.
func TestAMessageThatCannotBeForwardedIsADeadLetter(t *testing.T) {
	t.Parallel()
	w := waitingWorld(t)
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name != "fifo" {
			return nil
		}
		return &queue.RejectedError{TooLarge: true, Code: "InvalidParameterValue", Message: "Message must be shorter"}
	}
	w.give(deliveriesOf(w, 1, platform.SourceDelay, eventOf("e1"))...)
	w.expectDead("too_large")
}
