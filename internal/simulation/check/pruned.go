package check

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// O-11: executions are pruned from the first on, and only executions that are no longer needed: each ended so long ago that no
// message of its time is applied any more, has started no child that still runs, and is in the archive. The newest stay, as many
// as the build keeps. The record names the first remaining one before any history is deleted, and this number never decreases.

// spared is how long an execution stays after its end.
const spared = 15 * 24 * time.Hour

// firstLeft returns the first execution of an instance that has not been pruned.
func (w *checker) firstLeft(instance string) int64 {
	if w.pruned[instance] > w.Ledger.Hidden[instance] {
		return w.pruned[instance]
	}
	n := w.Ledger.Hidden[instance] + 1
	for n < w.Ledger.Last[instance] && w.Ledger.Executions[ledger.At(instance, n)] == nil {
		n++ // It was reserved by a fork that never started.
	}
	return n
}

// prunes checks a change of a record that prunes executions.
func (w *checker) prunes(x *world.Write) {
	c := x.Change
	if c == nil || c.FirstExecution == nil || c.Create != nil {
		return
	}
	first, was := *c.FirstExecution, w.firstLeft(x.Instance)
	violate := func(format string, args ...any) {
		w.Violate("O-11", "%s prunes %s up to execution %d: "+format, append([]any{x.By.Name, x.Instance, first - 1}, args...)...)
	}
	if first <= was {
		violate("execution %d is the first remaining one", was)
		return
	}
	w.Reached("O-11")
	last := w.Ledger.Executions[ledger.At(x.Instance, w.Ledger.Last[x.Instance])]
	if last.End() == nil {
		w.Reached("O-11, of one that runs")
	}
	keeps := int64(x.By.Code.Orchestrations.Executions()[last.Events[0].Name])
	if keeps == 0 || first > w.Ledger.Last[x.Instance]-keeps+1 {
		violate("the last %d of %d must stay", keeps, w.Ledger.Last[x.Instance])
	}
	for n := was; n < first; n++ {
		if w.Copied(x.Instance, n) {
			continue
		}
		w.checkPrunable(x.Instance, n, violate)
	}
	note(&w.pruned, x.Instance, first)
	if x.By.Running != x.In {
		// It lands after its invocation, and its request, which found nothing to prune when it was redelivered, may be
		// acknowledged.
		note(&w.kept, x.Instance, true)
	}
}

// checkPrunable checks an execution that is pruned.
func (w *checker) checkPrunable(instance string, n int64, violate func(string, ...any)) {
	x := w.Ledger.Executions[ledger.At(instance, n)]
	if x == nil || x.End() == nil {
		violate("execution %d has not ended", n)
		return
	}
	least := spared
	if w.Faults[fault.Skew] > 0 {
		least -= 2 * mostApart
	}
	if age := w.Clock.Now().Sub(time.UnixMilli(x.End().AtMS)); age < least {
		violate("execution %d ended %s ago", n, age)
	}
	for i := range x.Events {
		e := &x.Events[i]
		if e.Kind != history.SubOrchestrationScheduled || x.Completed[e.EventID] != 0 || w.Ledger.Ended(e.Instance) || w.Ledger.Hidden[e.Instance] == w.Ledger.Last[e.Instance] {
			continue
		}
		// A child that a client has redriven since has no parent any more.
		child := w.Ledger.Executions[ledger.At(e.Instance, w.Ledger.Last[e.Instance])]
		if child == nil || child.Events[0].Start == nil || child.Events[0].Start.Parent == nil {
			continue
		}
		if p := child.Events[0].Start.Parent; p.Instance == instance && p.ExecutionID == n {
			violate("execution %d has started %s, which runs", n, e.Instance)
		}
	}
	if why := w.notArchived(instance, n, x); why != "" {
		violate("%s", why)
	}
}

// noteKept records two cases in which pruned histories remain. A build that keeps all executions of an instance got a request to
// prune it, perhaps a redelivered one, and has deleted nothing. Or two processes got the request: one acknowledges it, and the
// other may die during its deletion. The next prune deletes these histories, or the purge.
func (w *checker) noteKept(inv *world.Invocation) {
	if inv.P.Worker != nil {
		return
	}
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err != nil || item.UpToExecution == 0 {
			continue
		}
		last := w.Ledger.Executions[ledger.At(item.Instance, w.Ledger.Last[item.Instance])]
		if m.Copied || last == nil || inv.P.Code.Orchestrations.Executions()[last.Events[0].Name] == 0 {
			note(&w.kept, item.Instance, true)
		}
	}
}

// noteLeft records that a process dies with a request to prune, or returns it, after another process has acknowledged the request,
// because this one paused for longer than the message was hidden. The request is not redelivered. The next prune deletes what
// the process has pruned and not deleted.
func (w *checker) noteLeft(inv *world.Invocation, unsettled func(id string) bool) {
	for _, m := range inv.Batch {
		if !unsettled(m.ID) {
			continue
		}
		if item, err := w.Item(m.Body); err == nil && item.UpToExecution > 0 && m.From == w.FIFO && !w.stands(m.ID) {
			note(&w.kept, item.Instance, true)
		}
	}
}

// checkDeletes: of an existing instance only histories that its record says are pruned are deleted; of a purged one, also what is stored
// under numbers that never became current. It reports whether the deleted history was pruned, or never became current.
func (w *checker) checkDeletes(instance string, upTo int64) bool {
	if upTo <= w.Ledger.Hidden[instance] {
		return false
	}
	r, err := w.Store.Describe(context.Background(), instance)
	if last := w.Ledger.Before(instance, upTo+1); last <= w.Ledger.Hidden[instance] && (r.Purged && upTo <= r.Highest() || upTo < r.FirstExecution) {
		w.Reached("O-04, what was stored under a number that never became current")
		return true
	}
	w.Reached("O-11, deleted")
	if err == nil && !r.Purged && r.FirstExecution <= upTo || upTo >= w.firstLeft(instance) {
		w.Violate("O-11", "histories of %s are deleted up to execution %d, but execution %d is the first remaining one: %v", instance, upTo, w.firstLeft(instance), err)
	}
	return true
}

// checkPruned is O-11 at the end of a run: the record says which executions remain, and no history remains of those that were
// pruned.
func (w *checker) checkPruned(r *store.Record) {
	hidden, first := w.Ledger.Hidden[r.Instance], w.firstLeft(r.Instance)
	pruned := int64(0)
	for n := w.Ledger.Before(r.Instance, first); n > hidden; n = w.Ledger.Before(r.Instance, n) {
		pruned++
	}
	if r.FirstExecution != first || r.Pruned != pruned {
		w.Violate("O-11", "according to the record of %s execution %d is the first remaining one and %d were pruned; it is %d, after %d", r.Instance, r.FirstExecution, r.Pruned, first, pruned)
	}
	if w.kept[r.Instance] {
		return // The next prune, or the purge, deletes what is left.
	}
	for n := hidden + 1; n < first; n++ {
		if w.Copied(r.Instance, n) {
			continue // The purge deletes it.
		}
		if turns, err := w.Store.Read(context.Background(), r.Instance, n, 1); len(turns) > 0 || err != nil {
			w.Violate("O-11", "%s/%d was pruned, but %d commits of its history still exist: %v", r.Instance, n, len(turns), err)
		}
	}
}
