package host

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/wire"
)

// W-05, rule 11: a start that may kill its process is recorded first, and its
// process dies. An event comes by another queue; the code ends by the start
// alone, so that the event is late. It finds the commit that it brought about
// again, wherever its process dies.
func TestAnEventThatHasParkedArrivalsAnsweredFindsThatCommitAgain(t *testing.T) {
	t.Parallel()
	for killAt := 1; ; killAt++ {
		w := newWorld(t, func(w *world) {
			w.orchestration("Main", func(ctx *engine.Context, _ []byte) ([]byte, error) {
				_, err := ctx.Detach(engine.ChildCall{Name: "Other", Instance: "other", Input: []byte("1")})
				return nil, err
			})
			w.orchestration("Other", func(_ *engine.Context, in []byte) ([]byte, error) { return in, nil })
		})
		start := w.body(wire.Item{Kind: wire.StartOrchestration, Instance: "main", Name: "Main", ID: "s", Input: []byte("1")})
		// Its second call is the commit of the start alone.
		p := w.process()
		p.faults.killAt, p.faults.after = 2, true
		p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)}, []Delivery{{queue.Message{ID: "start", Body: start, ReceiveCount: 4}, SourceOrchestrator}})
		p.o.Close()
		w.orchestrator = nil
		if turns := w.turns("main", 1); len(turns) != 1 || !turns[0].Parked {
			t.Fatalf("%+v", turns)
		}
		event := w.body(wire.Item{Kind: wire.ExternalRaised, Instance: "main", Name: "more", ID: "more", Data: []byte("2")})
		died := false
		for receives := 1; receives == 1 || died && receives == 2; receives++ {
			p := w.process()
			if receives == 1 {
				p.faults.killAt, p.faults.after = killAt, true
			}
			p.o.Handle(deadline{t.Context(), w.clock.Now().Add(w.limit)},
				[]Delivery{{queue.Message{ID: "more", Body: event, ReceiveCount: receives}, SourceDelay}})
			if p.isDead() {
				died = true
				p.o.Close()
				w.orchestrator = nil
			}
		}
		w.runFor(time.Hour)
		if w.expectOutput("other", "1"); t.Failed() {
			t.Fatalf("killed behind call %d", killAt)
		}
		if !died {
			return // Every call has been tried.
		}
	}
}
