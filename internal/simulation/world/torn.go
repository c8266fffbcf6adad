package world

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A commit of several items is a transaction. A concurrent Query, or a GetItem and a Query, may
// find some of the items and not the others, until the transaction's writer gets its answer
// (DynamoDB Developer Guide, "Isolation levels for DynamoDB transactions"). Once an item was seen,
// it is seen from then on. A write to one of the items waits, and an isolated read of them may also
// wait.

// tear is a commit that is under way.
type tear struct {
	// by is the process of the commit; nil for a deletion.
	by    *Process
	until time.Time
	// before is the earlier record; changed says that the commit changes it, and recordSeen that a
	// reader has seen the change.
	before              *store.Record
	changed, recordSeen bool
	// slots are the first events of its turns that no reader has seen yet, by execution.
	slots map[int64]int64
	// several is the execution whose turn is stored in several items.
	several int64
	// deleted is the execution up to which histories are being deleted, item by item.
	deleted int64
}

// torn returns the commit that is under way on an instance; nil if there is none.
func (w *World) torn(instance string) *tear {
	t := w.tears[instance]
	if t != nil && !w.Clock.Now().Before(t.until) {
		delete(w.tears, instance)
		return nil
	}
	return t
}

// mended completes a commit that was half done: another writer has waited for it.
func (w *World) mended(instance string) { delete(w.tears, instance) }

// tearing decides whether a commit that is about to land takes some time between its items, and
// returns a function to call when it has landed.
func (w *World) tearing(p *Process, c *store.Commit) (landed func()) {
	instance := c.Turns[0].Instance
	if w.torn(instance) != nil && w.touches(c) {
		w.mended(instance)
	}
	large := len(c.Turns[0].Events) > 1
	if w.torn(instance) != nil || c.Record == nil && len(c.Turns) == 1 && !large {
		return func() {}
	}
	t := &tear{by: p, changed: c.Record != nil, slots: map[int64]int64{}}
	for i := range c.Turns {
		turn := &c.Turns[i]
		if x := w.Ledger.Executions[ledger.At(instance, turn.ExecutionID)]; x != nil && turn.First() <= int64(len(x.Events)) {
			return func() {} // The commit has already landed.
		}
		t.slots[turn.ExecutionID] = turn.First()
	}
	if !w.tornHere() {
		return func() {}
	}
	if r, err := w.Describe(instance); err == nil {
		t.before = &r
	}
	if large && (c.Record == nil && len(c.Turns) == 1 || w.Choices.OneIn(w.How(fault.Torn), 3)) {
		t.several = c.Turns[0].ExecutionID
	}
	dies := w.has(tornReads) && !p.Dead && w.Choices.OneIn(w.Choices.At(w.How(fault.Torn), "dies"), 4-len(c.Turns))
	return func() {
		if dies && !p.Dead {
			w.faulted(fault.CrashAfter)
			p.Die("crash, and its commit is under way")
		}
		w.tear(instance, t, p.Dead)
	}
}

// touches reports whether a commit writes an item of the commit that is under way, and therefore
// waits for that commit. A turn at a different position is a different item.
func (w *World) touches(c *store.Commit) bool {
	t := w.torn(c.Turns[0].Instance)
	if c.Record != nil && t.changed {
		return true
	}
	for i := range c.Turns {
		turn := &c.Turns[i]
		if x := w.Ledger.Executions[ledger.At(turn.Instance, turn.ExecutionID)]; x != nil && turn.First() <= int64(len(x.Events)) {
			return true
		}
	}
	return false
}

func (w *World) tornHere() bool {
	if w.has(tornReads) && !w.calm {
		if w.Choices.Even(w.How(fault.Torn)) {
			w.faulted(fault.Torn)
			return true
		}
		return false
	}
	return w.hit(fault.Torn)
}

// tear starts a commit that takes mostly milliseconds and sometimes seconds, because a transaction
// coordinator may die too. With the bias, a commit that lands after the death of its process is
// mostly under way until the messages of that process are redelivered.
func (w *World) tear(instance string, t *tear, dead bool) {
	d := time.Duration(1+w.Choices.IntN(w.How(fault.Torn), 300)) * time.Millisecond
	d *= [...]time.Duration{1, 1, 10, 60}[w.Choices.IntN(w.How(fault.Torn), 4)]
	if dead && w.has(tornReads) && !w.Choices.OneIn(w.How(fault.Torn), 4) {
		d += 150 * time.Second
	}
	t.until = w.Clock.Now().Add(d)
	if w.tears == nil {
		w.tears = map[string]*tear{}
	}
	w.tears[instance] = t
}

// longAnswer is the longest time for the answer to a commit that does not count as a slow call: a
// turn that has started has ten seconds for its reads, its commits and its dispatch.
const longAnswer = 3 * time.Second

// longestCall is the time after which a client gives up a call to the table (store/dynamo).
const longestCall = 5 * time.Second

// awaitsAnswer makes a process wait for the answer to its commit. If its client gives up the call,
// the process gets an error that leaves the outcome of the commit unknown.
func (w *World) awaitsAnswer(p *Process, instance string, err error) error {
	t := w.torn(instance)
	if t == nil || t.by != p {
		return err
	}
	d := t.until.Sub(w.Clock.Now())
	if d > longAnswer && p.Running != nil {
		p.Running.Slowed, p.Running.SlowCall = true, true
	}
	if d > longestCall && err == nil {
		w.Reached("a commit without an answer")
		d, err = longestCall, fmt.Errorf("%w: the call took too long (simulated)", store.ErrUnknownOutcome)
	}
	p.pauseFor(d)
	return err
}

// inProgress is the answer that a process mostly gets if it repeats a commit that is under way.
func (w *World) inProgress(p *Process, instance string) error {
	if t := w.torn(instance); t == nil || t.by != p || w.Choices.OneIn(w.Choices.At(w.How(fault.Torn), "again"), 4) {
		return nil
	}
	return fmt.Errorf("%w: TransactionInProgress (simulated)", store.ErrUnknownOutcome)
}

// tornRead returns the result of a Query while a commit is half done.
func (w *World) tornRead(instance string, execution int64, turns []store.Turn, err error) ([]store.Turn, error) {
	t := w.torn(instance)
	if t == nil || err != nil {
		return turns, err
	}
	if execution <= t.deleted {
		switch w.Choices.IntN(w.How(fault.Torn), 3) {
		case 1:
			return nil, &store.CorruptError{Instance: instance, ExecutionID: execution, EventID: 1, Unconfirmed: true, Reason: "deleted in part (simulated)"}
		case 2:
			return w.deletedBehind(turns), nil
		}
		return turns, nil
	}
	slot, ok := t.slots[execution]
	if !ok {
		return turns, nil
	}
	if w.Choices.Even(w.How(fault.Torn)) {
		delete(t.slots, execution)
		return turns, nil
	}
	for i := range turns {
		if turns[i].First() < slot {
			continue
		}
		w.Log("the Query does not find event %d of %s/%d yet", slot, instance, execution)
		if execution == t.several && w.Choices.Even(w.How(fault.Torn)) {
			return nil, &store.CorruptError{Instance: instance, ExecutionID: execution, EventID: slot, Unconfirmed: true, Reason: "its other items are there (simulated)"}
		}
		return turns[:i], nil
	}
	return turns, nil
}

// deletedBehind returns the result of a Query of several pages if a deletion overtakes it: the
// first page, and nothing of the others. Each page is a separate read (API_Query: a page has 1 MB,
// and LastEvaluatedKey says where the next one starts). It is rare, because a process reads a
// history only after it has read a record that is not hidden, and the deletion waits for an hour:
// there is one read during a deletion in 6,000 schedules with biases.
func (w *World) deletedBehind(turns []store.Turn) []store.Turn {
	if len(turns) < 2 {
		return turns
	}
	w.Reached("short prefix")
	return turns[:1+w.Choices.IntN(w.Choices.At(w.How(fault.Torn), "pages"), len(turns)-1)]
}

// tornRecord returns the result of a GetItem while a commit is half done.
func (w *World) tornRecord(instance string, r store.Record, err error) (store.Record, error) {
	t := w.torn(instance)
	if t == nil || err != nil || !t.changed || t.recordSeen {
		return r, err
	}
	if w.Choices.Even(w.How(fault.Torn)) {
		t.recordSeen = true
		return r, nil
	}
	w.Log("the GetItem finds the record of %s as it was", instance)
	ended := t.before != nil && !t.before.Purged && t.before.Status.Terminal() && w.startedByOvertaken(instance, t.before.ExecutionID)
	if t.before == nil || t.before.Purged || ended {
		w.Ledger.Born[instance] = w.Steps // The reader found no instance, or the previous run, which has ended.
	}
	if ended {
		if w.Overtook == nil {
			w.Overtook = map[string]bool{}
		}
		w.Overtook[instance] = true
	}
	if t.before == nil {
		return store.Record{}, store.NotFound(instance)
	}
	return t.before.Stored(), nil
}

// startedByOvertaken reports whether the next execution was started by a message that its queue has
// moved to the dead letters, or that was requeued: later messages of its group overtake it.
func (w *World) startedByOvertaken(instance string, execution int64) bool {
	x := w.Ledger.Executions[ledger.At(instance, execution+1)]
	if x == nil || x.Events[0].Start == nil {
		return false
	}
	start := x.Events[0].Start.StartID
	return w.overtaken[start] || w.DeadFIFO.Queue.Any(func(body string) bool {
		item, err := w.Item(body)
		return err == nil && item.Kind == wire.StartOrchestration && item.ID == start
	})
}

// isolatedBeside returns what an isolated read finds while a commit is under way: a conflict,
// unless it waits.
func (w *World) isolatedBeside(instance string) error {
	if w.torn(instance) == nil {
		return nil
	}
	if w.Choices.Even(w.How(fault.Torn)) {
		return fmt.Errorf("%w: TransactionConflict (simulated)", store.ErrUnavailable)
	}
	w.mended(instance)
	return nil
}
