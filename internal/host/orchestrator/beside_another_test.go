package orchestrator

import (
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A process handles a batch slowly, and the visibility of the messages expires. Another process
// receives the first message, commits its turn, and dies before the dispatch. The slow process then
// commits the other messages. Before it dispatches them, it sends what the dead process left
// unsent: sentence 3 of the protocol, "at most the last turn of an instance can be undispatched".

// received returns a delivery of an item from the FIFO queue.
func (w *world) received(item wire.Item, receives int) platform.Delivery {
	w.Helper()
	m := queue.Message{ID: item.ID, Body: w.body(item), Group: "a", ReceiveCount: receives}
	if receives == 1 {
		m.ReceivedAt = w.clock.Now()
	}
	return platform.Delivery{Message: m, Source: platform.SourceOrchestrator}
}

func (p *orchestratorProcess) handle(batch ...platform.Delivery) (handedBack []string) {
	p.w.Helper()
	return p.o.Handle(deadline{p.w.Context(), p.w.clock.Now().Add(p.w.limit)}, batch)
}

func raised(id string) wire.Item {
	return wire.Item{Kind: wire.ExternalRaised, Instance: "a", Name: "go", ID: id, Data: []byte("1")}
}

// diesBehind makes a process die after one of its commits for a batch.
func (w *world) diesBehind(p *orchestratorProcess, commit int, batch ...platform.Delivery) {
	w.Helper()
	w.afterCommit = func(_ *store.Commit, err error) error {
		if commit--; err == nil && commit <= 0 {
			p.faults.kill()
		}
		return err
	}
	if p.handle(batch...); !p.isDead() {
		w.Fatal("the process lives")
	}
	w.afterCommit = nil
}
