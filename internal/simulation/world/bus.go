package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
)

var errBus = errors.New("simulation: the bus is not available")

// Subscribed reports whether events about instances have a subscriber in this run.
func (w *World) Subscribed() bool { return w.has(busOutages) || w.Walk == nil && w.entropy%4 == 1 }

func (w *World) publisher(p *Process) publishing.Publisher {
	if !w.Subscribed() {
		return nil
	}
	return simBus{p}
}

// simBus is the bus as a process sees it: it may refuse, be slow, accept only some events, accept
// events twice, and accept events while it reports that it has not.
type simBus struct{ p *Process }

// Publish implements publishing.Publisher.
func (b simBus) Publish(ctx context.Context, events []host.InstanceEvent) error {
	w, p := b.p.W, b.p
	hangs := !p.Dead && w.busHangs()
	if w.Watch.CallsBus(p, hangs); hangs {
		w.Reached("the bus hangs")
		p.Pause(publishing.Time)
		return fmt.Errorf("%w: it does not answer", errBus)
	}
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
	case ctx.Err() != nil: // The call has taken too long, and the caller no longer waits for the answer.
		return fmt.Errorf("%w: %w", errBus, ctx.Err())
	}
	return queue.Partial(failed, len(events))
}

// busHangs reports whether an outage of the bus leaves calls without an answer.
func (w *World) busHangs() bool {
	return !w.calm && slices.ContainsFunc(w.outages, func(o outage) bool { return o.hangs && w.Clock.Now().Before(o.until) })
}

// planBusOutages plans outages of the bus in a run that has the bias.
func (w *World) planBusOutages() {
	if !w.has(busOutages) {
		return
	}
	how := w.Choices.At(w.How(fault.Outage), "bus")
	for range 1 + w.Choices.IntN(how, 3) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(how, 30*60))*time.Second, func() {
			if !w.calm {
				w.faulted(fault.Outage)
				w.startOutageOf(outage{service: theBus, role: everybody, hangs: w.Choices.Even(how)})
			}
		})
	}
}
