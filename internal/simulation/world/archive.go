package world

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// simArchive is the archive as a process sees it: it receives histories before retention
// purges them.
type simArchive struct{ p *Process }

// Keep implements store.Archive.
func (s simArchive) Keep(_ context.Context, instance string, executionID int64, document []byte) error {
	return s.p.call(writeClass, func() string { return fmt.Sprintf("archives %s/%d", instance, executionID) }, func() error {
		w, at := s.p.W, ledger.At(instance, executionID)
		if before, ok := w.archived[at]; ok && !bytes.Equal(before, document) {
			w.Violate("retention", "%s archives %s/%d again as something else", s.p.Name, instance, executionID)
		}
		note(&w.archived, at, bytes.Clone(document))
		return nil
	})
}

// Archived returns the document of an execution in the archive; nil if it has none.
func (w *World) Archived(instance string, execution int64) []byte {
	return w.archived[ledger.At(instance, execution)]
}

// SweepEnded makes the schedule request a sweep of ended instances once an hour, for this
// many hours.
func (w *World) SweepEnded(hours int) {
	if hours == 0 {
		return
	}
	w.Clock.AfterFunc(time.Hour, func() {
		if !w.noneReceives() {
			item := wire.Item{V: wire.Version, Kind: wire.Sweep, ID: fmt.Sprintf("ended-%d", hours), Ended: wire.AllEnded}
			body, err := item.Encode()
			if err != nil {
				w.Violate("world", "sweep of what has ended: %v", err)
				return
			}
			w.SendAs("the sweeper", w.FIFO, queue.Outgoing{Body: string(body), Group: wire.SweepGroup, DedupID: wire.DedupID(&item)})
		}
		w.SweepEnded(hours - 1)
	})
}
