package world

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// A commit of several items is a transaction, and a Query beside it, or a GetItem and
// a Query, may find some of the items and not the others, until whoever made it is
// answered (DynamoDB Developer Guide, "Isolation levels for DynamoDB transactions").
// An item that was seen once is seen from then on. A write to one of the items waits,
// and an isolated read of them may wait too.

// tear is a commit that is under way.
type tear struct {
	// by whom; nil for a deletion.
	by    *Process
	until time.Time
	// record as it was before; changed says that the commit changes it, and
	// recordSeen that somebody has seen it changed.
	before              *store.Record
	changed, recordSeen bool
	// slots where turns of it begin that nobody has seen yet, by execution.
	slots map[int64]int64
	// several: the execution whose turn is stored in several items.
	several int64
	// deleted is up to which execution histories are being deleted, item by item.
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

// mended ends what is under way: somebody writes, and has waited for it.
func (w *World) mended(instance string) { delete(w.tears, instance) }

// tearing decides whether a commit that is about to land takes a while in the
// middle, and returns what is to be called when it has landed.
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
			return func() {} // It is in already.
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

// touches reports whether a commit writes an item of the commit that is under
// way, and so waits for it. Another slot is another item.
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

// tear begins a while of milliseconds mostly, and seconds at times: a coordinator of
// transactions may die too. With the bias, a commit that lands after the death of
// its process is under way until that one's messages have come back, mostly.
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

// longAnswer is how long the answer to a commit may take before the call counts as
// one that takes much longer than it should: a turn that is begun has ten seconds,
// for its reads, its commits and its dispatch.
const longAnswer = 3 * time.Second

// longestCall is after how long a client gives up a call of the table (store/dynamo).
const longestCall = 5 * time.Second

// awaitsAnswer lets a process wait for the answer to its commit, which it does not get when
// its client gives up the call: nobody knows then what comes of the commit.
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

// inProgress is what who repeats its commit is told while that is under way, mostly.
func (w *World) inProgress(p *Process, instance string) error {
	if t := w.torn(instance); t == nil || t.by != p || w.Choices.OneIn(w.Choices.At(w.How(fault.Torn), "again"), 4) {
		return nil
	}
	return fmt.Errorf("%w: TransactionInProgress (simulated)", store.ErrUnknownOutcome)
}

// tornRead is what a Query finds beside what is under way.
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

// deletedBehind is what a Query of several pages finds beside a deletion that overtakes
// it: it has read the first of them, and nothing is left of the others. Each page is read
// by itself (API_Query: a page has 1 MB, and LastEvaluatedKey where the next one begins).
// It is rare, because whoever reads a history has read a record that is not hidden, and the
// deletion waits for an hour: one read beside a deletion in 6,000 schedules with biases.
func (w *World) deletedBehind(turns []store.Turn) []store.Turn {
	if len(turns) < 2 {
		return turns
	}
	w.Reached("short prefix")
	return turns[:1+w.Choices.IntN(w.Choices.At(w.How(fault.Torn), "pages"), len(turns)-1)]
}

// tornRecord is what a GetItem finds beside what is under way.
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
	ended := t.before != nil && !t.before.Purged && t.before.Status.Terminal() && w.begunByOvertaken(instance, t.before.ExecutionID)
	if t.before == nil || t.before.Purged || ended {
		w.Ledger.Born[instance] = w.Steps // Its reader has met no instance, or the run before, which has ended.
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

// begunByOvertaken reports whether the execution that follows was begun by a start that its queue
// has given up, or that went round: what follows that one in its group overtakes it.
func (w *World) begunByOvertaken(instance string, execution int64) bool {
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

// isolatedBeside is what a read that is isolated from transactions finds beside
// what is under way: a conflict, unless it waits.
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
