package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// checkArchived: an instance that is purged only because of its retention is in the archive
// before it is hidden, each of its executions up to the end.
func (w *checker) checkArchived(inv *world.Invocation, instance string, execution int64) {
	byRetention, byOthers := false, false
	for _, m := range inv.Batch {
		if item, err := w.Item(m.Body); err == nil && item.Kind == wire.PurgeInstance && item.UpToExecution == 0 && item.Target() == instance {
			byRetention = byRetention || item.Actor == "retention"
			byOthers = byOthers || item.Actor != "retention"
		}
	}
	if !byRetention || byOthers {
		return
	}
	w.Reached("retention")
	w.checkKept(inv, instance, execution)
	for n := w.Ledger.Hidden[instance] + 1; n <= execution; n++ {
		x := w.Ledger.Executions[ledger.At(instance, n)]
		if x == nil {
			continue
		}
		if why := w.notArchived(instance, n, x); why != "" {
			w.Violate("retention", "%s has hidden %s by its retention, and %s", inv.P.Name, instance, why)
		}
	}
}

// notArchived describes what the archive lacks of an execution; "" for nothing.
func (w *checker) notArchived(instance string, n int64, x *ledger.Recorded) string {
	kept, err := history.DecodeExport(w.Archived(instance, n))
	if err == nil && slices.EqualFunc(kept.Events, x.Events, func(a, b history.Event) bool { return a.EventID == b.EventID && a.Kind == b.Kind }) {
		return ""
	}
	return fmt.Sprintf("the archive does not have the %d events of execution %d: %v", len(x.Events), n, err)
}

// checkKept: it was kept for the retention of its orchestration, and while the execution that
// started it ran.
func (w *checker) checkKept(inv *world.Invocation, instance string, execution int64) {
	x := w.Ledger.Executions[ledger.At(instance, execution)]
	if x == nil || x.End() == nil {
		return
	}
	keep := inv.P.Code.Orchestrations.Retained()[x.Events[0].Name]
	if w.Faults[fault.Skew] > 0 {
		keep -= mostApart
	}
	if kept := w.Clock.Now().Sub(time.UnixMilli(x.End().AtMS)); kept < keep {
		w.Violate("retention", "%s has hidden %s by its retention, %s after its end", inv.P.Name, instance, kept)
	}
	start := x.Events[0].Start
	if start == nil || start.Parent == nil {
		return
	}
	w.Reached("retention, a child")
	if p := w.Ledger.Executions[ledger.At(start.Parent.Instance, start.Parent.ExecutionID)]; p != nil && p.End() == nil {
		w.Violate("retention", "%s has hidden %s by its retention, whose parent %s/%d runs", inv.P.Name, instance, start.Parent.Instance, start.Parent.ExecutionID)
	}
}
