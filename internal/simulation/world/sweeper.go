package world

import (
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// marks schedules the sweeper once an instance gets a problem, or is resumed with one.
func (w *World) marks(c *store.RecordChange) {
	if c != nil && (c.Problem != nil && *c.Problem != nil || c.Status != nil && *c.Status == store.StatusStuck || c.Create != nil && c.Create.Problem != nil) {
		w.sweepSoon(0)
	}
	w.suspended(c)
}

// sweepSoon schedules the sweeper within five minutes, but not earlier than least: a sweep
// while nothing is due tests nothing.
func (w *World) sweepSoon(least time.Duration) {
	if w.sweeping || w.Walk != nil { // In a walk the sweeper runs when time passes.
		return
	}
	w.sweeping = true
	d := time.Duration(1+w.Choices.IntN(w.Choices.At(choice.OfWorld, "sweep"), 300)) * time.Second
	w.Clock.AfterFunc(max(d, least), w.sweep)
}

// sweep acts as the recurring schedule. It sends one work item, as long as any instance has
// a problem.
func (w *World) sweep() {
	w.sweeping = false
	page, err := w.Store.List(context.Background(), store.ListQuery{Status: store.StatusStuck, PageSize: 1000})
	if err != nil {
		w.Violate("world", "sweep: %v", err)
		return
	}
	if len(page.Records) == 0 {
		return
	}
	least, now := time.Hour, w.Clock.Now()
	for i := range page.Records {
		least = min(least, time.UnixMilli(page.Records[i].Problem.NextMS).Sub(now))
	}
	w.sweeps++
	if w.noneReceives() {
		w.sweepSoon(least) // The service retries for five minutes (template.yaml), then the next sweep follows.
		return
	}
	w.sendSweep(fmt.Sprintf("schedule-%d", w.sweeps))
	w.sweepSoon(least)
}

func (w *World) sendSweep(id string) {
	item := wire.Item{V: wire.Version, Kind: wire.Sweep, ID: id}
	body, err := item.Encode()
	if err != nil {
		w.Violate("world", "sweep: %v", err)
		return
	}
	w.SendAs("the sweeper", w.FIFO, queue.Outgoing{Body: string(body), Group: wire.SweepGroup, DedupID: wire.DedupID(&item)})
}

// nextSweep returns when the sweeper should run in a walk: when the wake of a problem is
// due, if neither a sweep nor a wake has been sent and not processed. This depends only on
// the stored state and the queues.
func (k *Walk) nextSweep() (next time.Time, ok bool) {
	w := k.W
	page, err := w.Store.List(context.Background(), store.ListQuery{Status: store.StatusStuck})
	if err != nil || len(page.Records) == 0 {
		return next, false
	}
	for _, q := range w.Sources {
		if q.Queue.Any(func(body string) bool {
			item, err := w.Item(body)
			return err == nil && (item.Kind == wire.Sweep || item.Kind == wire.Wake && item.Number > 0)
		}) {
			return next, false
		}
	}
	for i := range page.Records {
		at := time.UnixMilli(page.Records[i].Problem.NextMS)
		if least := w.Clock.Now().Add(time.Second); at.Before(least) {
			at = least
		}
		if !ok || at.Before(next) {
			next, ok = at, true
		}
	}
	return next, ok
}
