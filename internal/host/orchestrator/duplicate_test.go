package orchestrator

import (
	"context"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/store"
)

// Lambda may deliver a batch to two processes at its first receive, with the same receipts and the
// receive count 1 in both. One process commits and dies before its dispatch, and the other process
// acknowledges the messages for both.

// duplicateWorld has an orchestration that waits for an event.
func duplicateWorld(t *testing.T) *world {
	return newWorld(t, func(w *world) {
		w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
			_, err := ctx.Await(ctx.ExternalEvent("go"))
			return in, err
		})
	})
}

// underWay is a store in which a commit of the instance is in progress.
type underWay struct{ store.Store }

func (underWay) ReadIsolated(context.Context, string, int64, int64) (store.Isolated, error) {
	return store.Isolated{}, fmt.Errorf("a transaction is under way: %w", store.ErrUnavailable)
}

// I-06: if the second process finds the commit of the first one in progress, it does not
// acknowledge the message: the next message would read the old record.
func TestADuplicateWaitsForTheCommitInProgress(t *testing.T) {
	t.Parallel()
	w := duplicateWorld(t)
	w.start("a", "Main", "1")
	w.run()
	both := w.two()
	w.diesBehind(both[0], 1, w.received(raised("e"), 1))
	p := both[1]
	p.o.Close()
	p.cfg.Services.Store = underWay{p.cfg.Services.Store}
	p.begin()
	if failed := p.handle(w.received(raised("e"), 1)); len(failed) != 1 {
		t.Errorf("the twin hands back %v, want the message", failed)
	}
}

// M-08: a message that arrives after the end of its instance reads no history.
func TestAMessageAfterTheEndReadsNoHistory(t *testing.T) {
	t.Parallel()
	w := duplicateWorld(t)
	w.start("a", "Main", "1")
	w.run()
	w.give(w.received(raised("e"), 1))
	w.clock.Advance(2 * lease.Skew)
	c := &readCounter{}
	w.change(func(cfg *Config) { c.Store, cfg.Services.Store = cfg.Services.Store, c })
	w.give(w.received(raised("later"), 1))
	if c.n != 0 {
		t.Errorf("%d histories were read", c.n)
	}
}
