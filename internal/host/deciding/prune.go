package deciding

import (
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// pruneEvery is at which executions an instance asks for earlier ones to be pruned: one
// message for ten costs a tenth.
const pruneEvery = 10

// pruneFor returns up to which execution the instance asks to be pruned when the next one
// begins; 0 for not at all. The request is sent after the commit, and by nothing again: a
// later one stands for it.
func (t *Turn) pruneFor(next int64) int64 {
	keep := t.By.keeps(t.Running.Started().Name)
	if keep == 0 || next <= keep || next%pruneEvery != 0 {
		return 0
	}
	return next - keep
}

// mayPrune reports whether an instance that is there has executions up to this one that
// it need not keep. A corrupt one keeps all its executions, because somebody may restore
// it.
func (t *Turn) mayPrune(upTo int64) bool {
	r := t.View.Record
	if r == nil || r.Purged || r.Problem != nil && r.Problem.Kind == store.ProblemCorrupt {
		return false
	}
	keep := t.By.keeps(r.Name)
	return keep > 0 && r.FirstExecution <= upTo && upTo <= r.ExecutionID-keep
}

// Prunable takes in which execution is the first that has to stay.
func (t *Turn) Prunable(first int64) { t.passed.deleting.prunable = first }

// prune has the record say which execution is the first that is kept, before any deletion:
// whoever finds a history missing sees there that it was pruned, and is not lost. The message
// then goes on as the one that deletes. Executions are pruned that ended before any message that
// is still applied was sent (IDHeld), so nothing will have to be sent again from them, and no
// writer can be left that has stalled in one. If the deletion is lost, they stay in the table,
// where nobody looks for them, until the next prune or the purge: each deletion begins with the
// oldest that is there.
func (t *Turn) prune(p *Plan, m *inbox.Message) {
	r, first := t.View.Record, t.passed.deleting.prunable
	if first == 0 {
		p.Record = &Write{Prune: m.Item.UpToExecution, Ended: t.Now.At.Add(-max(IDHeld, t.By.Settings.Purge.Grace))}
		return
	}
	t.passed.deleting.prunable = 0
	before := max(r.FirstExecution, 1)
	if first > before {
		change := r.Prune(first, t.Now.At)
		p.Record = &Write{Change: &change, Failed: "executions of instance %q not pruned"}
		p.tell(info("pruning executions", "instance", t.View.Instance, "from", before, "to", first-1))
	} else if !m.Returning() || first == 1 {
		p.settle(m, "prune_spared")
		return
	}
	// One that comes back may have changed the record, and deleted nothing.
	t.becomesDeletion(p, m, first-1)
}

// becomesDeletion has a message go on as the one that deletes what is hidden.
func (t *Turn) becomesDeletion(p *Plan, m *inbox.Message, upTo int64) {
	item := m.Item
	item.UpToExecution, item.NotBeforeMS = upTo, t.Now.At.UnixMilli()
	p.becomes(m, item)
}
