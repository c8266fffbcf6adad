package check

import (
	"context"
	"math"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// checkWake: the sweeper sends no second wake for a problem while the first may still arrive,
// as far as its process can know. It is called when the send starts.
func (w *checker) checkWake(p *world.Process, body string) {
	if len(w.notesOf(p).listed) == 0 || p.Dead {
		return
	}
	item, err := w.Item(body)
	if err != nil {
		return
	}
	r, ok := w.notesOf(p).listed[item.Instance]
	if item.Kind != wire.Wake || item.Number == 0 || item.Hops > 0 || !ok || r.Stamp != item.Number || r.Problem == nil || r.Problem.WokenMS == 0 {
		return
	}
	if since := w.Clock.Now().Sub(time.UnixMilli(r.Problem.WokenMS)); since < 23*time.Hour {
		w.Violate("M-15", "%s sends a wake for problem %d of %s, although it has read that one was sent %s ago", p.Name, r.Stamp, r.Instance, since)
	}
}

// checkTried: a wake of the sweeper that is acknowledged has tried the problem that it names,
// and postponed it, so that the next wake is sent after a longer delay, and a change of the
// problem by an earlier delivery of the wake does not land any more.
func (w *checker) checkTried(inv *world.Invocation, item *wire.Item) {
	if item.Kind != wire.Wake || item.Number <= 0 || item.Number == math.MaxInt32 || w.Faults[fault.Torn] > 0 {
		return
	}
	r, err := w.Store.Describe(context.Background(), item.Instance)
	if err != nil || r.Purged || r.Suspension != nil || r.Problem == nil || r.Problem.Kind == store.ProblemCorrupt || r.Stamp != item.Number || w.queued(item) {
		return
	}
	w.Violate("I-04", "%s acknowledged a wake for problem %d of %s, which still exists", inv.P.Name, item.Number, item.Instance)
}
