package orchestrator

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// timerAndActivity starts a timer and an activity in parallel. The timer is sent first.
func timerAndActivity(ctx *engine.Context, in []byte) ([]byte, error) {
	a, b := ctx.Timer(time.Minute), ctx.Activity(engine.ActivityCall{Name: "Work", Input: in})
	_, err := ctx.Join(a, b)
	return in, err
}

// The progress of a dispatch belongs to the message that is redelivered for the rest. An operator's
// wake resends even sent messages, because an operator wakes an instance when some of its messages
// may be lost.
func TestAnOperatorsWakeResendsEvenSentMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", timerAndActivity)
	body, err := (&wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	deliver := func(id, body string, receives int) []string {
		return w.process().o.Handle(t.Context(), []platform.Delivery{{Message: queue.Message{ID: id, Body: body, ReceiveCount: receives}, Source: platform.SourceOrchestrator}})
	}
	// The timer is sent, but the activity is not.
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "activity" {
			return queue.ErrUnavailable
		}
		return nil
	}
	if failed := deliver("m-1", string(body), 1); len(failed) != 1 || w.record("a").Dispatched == "" {
		t.Fatalf("failed %v, dispatched %q; want the start handed back, and how far it came", failed, w.record("a").Dispatched)
	}
	w.beforeSend = nil
	if failed := deliver("m-1", string(body), 2); len(failed) != 0 {
		t.Fatalf("failed %v", failed)
	}
	if timers, activities := w.delay.Counts().Total(), w.activity.Counts().Total(); timers != 1 || activities != 1 {
		t.Errorf("%d timers and %d activities were sent, want each once: the message goes on where it stopped", timers, activities)
	}
	wake, err := (&wire.Item{V: wire.Version, Kind: wire.Wake, Instance: "a", ID: "wake"}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for receives := 1; receives <= 2; receives++ {
		if failed := deliver("m-2", string(wake), receives); len(failed) != 0 {
			t.Fatalf("failed %v", failed)
		}
	}
	if n := w.delay.Counts().Total(); n != 3 {
		t.Errorf("%d timers were sent in all, want each of the wake's two deliveries to send it again", n)
	}
}

// The wake may be in the batch of the redelivered message. That message does not resend what its
// earlier delivery sent, but this is what the operator's wake must resend.
func TestAnOperatorsWakeInTheBatchOfAPartlyDispatchedMessageResendsAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", timerAndActivity)
	start := w.body(wire.Item{V: wire.Version, Kind: wire.StartOrchestration, Instance: "a", Name: "Main", Input: []byte("1"), ID: "start"})
	wake := w.body(wire.Item{V: wire.Version, Kind: wire.Wake, Instance: "a", ID: "wake"})
	delivery := func(id, body string, receives int) platform.Delivery {
		return platform.Delivery{Message: queue.Message{ID: id, Body: body, ReceiveCount: receives}, Source: platform.SourceOrchestrator}
	}
	w.beforeSend = func(name string, _ []queue.Outgoing) error {
		if name == "activity" {
			return queue.ErrUnavailable
		}
		return nil
	}
	if failed := w.process().o.Handle(t.Context(), []platform.Delivery{delivery("m-1", start, 1)}); len(failed) != 1 || w.record("a").Dispatched == "" {
		t.Fatalf("failed %v, dispatched %q; want the start handed back, and how far it came", failed, w.record("a").Dispatched)
	}
	w.beforeSend = nil
	if failed := w.process().o.Handle(t.Context(), []platform.Delivery{delivery("m-1", start, 2), delivery("m-2", wake, 1)}); len(failed) != 0 {
		t.Fatalf("failed %v", failed)
	}
	if n := w.delay.Counts().Total(); n != 2 {
		t.Errorf("%d timers were sent in all, want the wake's turn to send it again", n)
	}
}
