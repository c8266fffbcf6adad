package host

import (
	"errors"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// Found by seed 2000327: a process ends an instance and dies ahead of the
// dispatch, and a purge that comes by the delay queue hides the instance before
// the message comes back. What its commit asked for is sent all the same.
func TestWhatAHiddenInstanceHasNotSentIsSent(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]wire.Item{
		"by its own end":    {Kind: wire.ExternalRaised, Instance: "p", Name: "end", Data: []byte("1"), ID: "end"},
		"by being ended":    {Kind: wire.TerminateInstance, Instance: "p", ID: "t"},
		"by its cancelling": {Kind: wire.CancelInstance, Instance: "p", ID: "c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Child", waits("never"))
			w.orchestration("Parent", func(ctx *engine.Context, in []byte) ([]byte, error) {
				ctx.Child(engine.ChildCall{Name: "Child", Instance: "c", Input: in, OnParentEnd: "cancel"})
				return waits("end")(ctx, in)
			})
			w.start("p", "Parent", "1")
			w.settleFIFO()
			d := w.delivery(end)
			handle := func() []string {
				return w.process().o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{d})
			}
			w.beforeSend = func(string, []queue.Outgoing) error { return errors.New("no") }
			if failed := handle(); len(failed) == 0 {
				t.Fatal("its end was dispatched")
			}
			w.beforeSend = nil
			w.sendStandard(wire.Item{Kind: wire.PurgeInstance, Instance: "p", ID: "purge"})
			w.step() // It is sent on.
			w.step()
			if !w.record("p").Purged {
				t.Fatalf("not purged: %+v", w.record("p"))
			}
			d.ReceiveCount = 2
			handle()
			w.run()
			if s := w.record("c").Status; s != store.StatusCancelled && s != store.StatusTerminated {
				t.Errorf("the child is %s", s)
			}
			w.expectQuiet()
		})
	}
}
