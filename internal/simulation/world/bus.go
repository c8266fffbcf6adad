package world

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

var errBus = errors.New("simulation: the bus is not available")

// Subscribed reports whether somebody subscribes to events about instances in this run.
func (w *World) Subscribed() bool { return w.has(busOutages) || w.Walk == nil && w.entropy%4 == 1 }

func (w *World) publisher(p *Process) publishing.Publisher {
	if !w.Subscribed() {
		return nil
	}
	return simBus{p}
}

// simBus is the bus as a process sees it: it refuses, is slow, takes a part, takes twice, and
// takes what it says that it has not.
type simBus struct{ p *Process }

// Publish implements publishing.Publisher.
func (b simBus) Publish(ctx context.Context, events []host.InstanceEvent) error {
	w, p := b.p.W, b.p
	failed := map[int]error{}
	err := p.call(busClass, func() string {
		return fmt.Sprintf("publishes %d events about %s, the first %q, %s", len(events), events[0].Instance, events[0].Type, events[0].Number)
	}, func() error {
		failed = map[int]error{}
		for i := range events {
			if w.has(busOutages) && !w.calm && w.Choices.OneIn(w.How(fault.EntryRefused), 6) {
				w.faulted(fault.EntryRefused)
				failed[i] = errBus
				continue
			}
			w.Watch.Publishes(p, &events[i])
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil: // It has taken too long, and nobody waits for what it says.
		return fmt.Errorf("%w: %w", errBus, ctx.Err())
	}
	return queue.Partial(failed, len(events))
}

// planBusOutages lets outages of the bus come in a run that has the bias.
func (w *World) planBusOutages() {
	if !w.has(busOutages) {
		return
	}
	how := w.Choices.At(w.How(fault.Outage), "bus")
	for range 1 + w.Choices.IntN(how, 3) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(how, 30*60))*time.Second, func() {
			if !w.calm {
				w.faulted(fault.Outage)
				w.beginOutageOf(outage{service: theBus, role: everybody})
			}
		})
	}
}
