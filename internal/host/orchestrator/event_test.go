package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

func TestExternalEvents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want, output string
		code               engine.Func
		raise              func(w *world)
	}{
		{"E-01 wait, then event", "Started Sub(e) Ev(e) Completed", `[{"a":1}]`, waits("e"), func(w *world) {
			w.raise("a", "e", `{"a":1}`, "1")
		}},
		{"E-02 an event before any wait is kept", "Started Act(Step) Ev(e) Done←2 Sub(e) Completed", `[5]`, func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.Activity(engine.ActivityCall{Name: "Step", Input: in})); err != nil {
				return nil, err
			}
			return waits("e")(ctx, in)
		}, func(w *world) {
			w.raise("a", "e", "5", "1")
			w.settleFIFO()
		}},
		{"E-03 first in, first out", "Started Sub(e) Ev(e) Sub(e) Ev(e) Completed", "[1,2]", waits("e", "e"), func(w *world) {
			w.raise("a", "e", "1", "1")
			w.raise("a", "e", "2", "2")
		}},
		{"E-04 equal name and payload are two events", "Started Sub(e) Ev(e) Sub(e) Ev(e) Completed", "[1,1]", waits("e", "e"), func(w *world) {
			w.raise("a", "e", "1", "1")
			w.raise("a", "e", "1", "2")
		}},
		{"E-05 names are told apart, by case too", "Started Sub(b) Ev(a) Ev(B) Ev(b) Sub(a) Sub(B) Completed", "[3,1,2]", waits("b", "a", "B"), func(w *world) {
			w.raise("a", "a", "1", "1")
			w.raise("a", "B", "2", "2")
			w.raise("a", "b", "3", "3")
		}},
		{"E-07 a wait with a timeout", "Started Sub(e) Timer Fired←3 Sub(e) Ev(e) Completed", "[7]", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if i, err := ctx.Select(false, ctx.ExternalEvent("e"), ctx.Timer(time.Minute)); err != nil || i != 1 {
				return []byte(`"not timed out"`), err
			}
			return waits("e")(ctx, in)
		}, func(w *world) {
			w.runFor(2 * time.Minute)
			w.raise("a", "e", "7", "1")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Main", c.code)
			w.activityFunc("Step", step)
			w.start("a", "Main", "1")
			w.settleFIFO()
			c.raise(w)
			w.run()
			w.expectHistory("a", 1, c.want)
			w.expectOutput("a", c.output)
			w.expectQuiet()
			w.expectInvariants("a")
		})
	}
}

func TestE04OneRaiseSentTwiceWithOneSendersID(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{0, time.Second, 10 * time.Minute} {
		w := newWorld(t, nil)
		w.orchestration("Main", waits("e", "e"))
		w.start("a", "Main", "1")
		w.raise("a", "e", "1", "same")
		w.settleFIFO()
		w.clock.Advance(apart)
		w.raise("a", "e", "1", "same")
		w.settleFIFO()
		w.expectHistory("a", 1, "Started Sub(e) Ev(e) Sub(e)")
	}
}

func TestE04AForeignSenderGivesNoID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e", "e"))
	// Ahead of the start: the message id has to go with the event over the
	// hop.
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

func TestE08AnEventSentTwiceAcrossAContinueAsNew(t *testing.T) {
	t.Parallel()
	for _, redelivered := range []bool{false, true} {
		w := newWorld(t, nil)
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			data, err := ctx.Await(ctx.ExternalEvent("e"))
			if err != nil {
				return nil, err
			}
			if string(in) == "1" {
				return nil, ctx.ContinueAsNew("", []byte("2"), nil)
			}
			return data, nil
		})
		w.start("a", "Main", "1")
		w.raise("a", "e", "5", "same")
		w.settleFIFO()
		out := queue.Outgoing{Group: "a", DedupID: "later", Body: w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "e", Data: []byte("5"), ID: "same"})}
		if redelivered {
			out.Attributes = map[string]string{wire.RedriveAttribute: "1"}
		}
		if err := w.fifo.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
		w.settleFIFO()
		w.expectHistory("a", 2, "Started Sub(e)")
		w.raise("a", "e", "6", "another")
		w.run()
		w.expectOutput("a", "6")
		w.expectDead()
	}
}
