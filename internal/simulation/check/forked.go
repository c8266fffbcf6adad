package check

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// O-12: a fork starts with a copy of the original's history, in one commit, and from then on the
// two share no open operation. Completed activities stay completed; the fork starts open and failed
// ones again. Because the original may continue while the fork is created, the fork is compared
// with the original's history at the start of the invocation, and with its current history.

// noteForked records the current lengths of the executions that the messages of an invocation
// fork.
func (w *checker) noteForked(inv *world.Invocation) {
	for _, m := range inv.Batch {
		item, err := w.Item(m.Body)
		if err != nil || !world.Forks(item) {
			continue
		}
		at := ledger.At(item.Origin.Instance, w.Ledger.Last[item.Origin.Instance])
		if x := w.Ledger.Executions[at]; x != nil {
			note(&w.of(inv).origins, at, len(x.Events))
		}
	}
}

// checkForked checks the first commit of an instance. It returns the copy that the execution has of
// another instance; nil if it is not a fork.
func (w *checker) checkForked(inv *world.Invocation, x *ledger.Recorded, t *store.Turn) *takenOver {
	start := t.Events[0].Start
	if start == nil || start.Origin == nil || start.Origin.Instance == t.Instance {
		w.checkNoFork(inv, t)
		return nil
	}
	w.Reached("O-12")
	w.forked = true
	note(&w.forks, start.Origin.Instance, append(w.forks[start.Origin.Instance], forkOf{t.Instance, start.Origin.ExecutionID}))
	violate := func(format string, args ...any) {
		w.Violate("O-12", "%s/%d: "+format, append([]any{t.Instance, t.ExecutionID}, args...)...)
	}
	x.Of = ledger.At(start.Origin.Instance, start.Origin.ExecutionID)
	of := w.Ledger.Executions[x.Of]
	if of == nil {
		violate("it is forked from %s/%d, which does not exist", x.Of.Instance, x.Of.Execution)
		return nil
	}
	k := &takenOver{carried: map[int64]bool{}, at: w.Steps, from: x.Of, events: prefixOf(t), seen: w.had(inv, x.Of), stood: len(of.Events)}
	if k.events > 0 {
		w.Reached("O-12, in the middle")
	}
	if of.End() == nil {
		w.Reached("O-12, of one that runs")
	}
	w.checkContinues(of, t, k, violate)
	w.checkCopied(of, t, k, violate)
	w.checkForkCarries(inv, of, t, k, violate)
	k.events = max(k.events, 1) // It begins with the original's start event.
	note(&w.taken, ledger.At(t.Instance, t.ExecutionID), k)
	return k
}

// forkOf is a fork, and the execution of the original from which it continues.
type forkOf struct {
	instance  string
	execution int64
}

// checkKnown is O-12 at the end of a run: an instance knows its forks, unless it was purged since.
func (w *checker) checkKnown(r *store.Record) {
	forks := map[string]bool{}
	for _, f := range w.forks[r.Instance] {
		if f.execution > w.Ledger.Hidden[r.Instance] {
			forks[f.instance] = true
		}
	}
	for fork := range forks {
		if !r.KnowsFork(fork) && len(r.Forks) < store.MaxForks {
			w.Violate("O-12", "the record of %s lists the forks %q, but not %s", r.Instance, r.Forks, fork)
		}
		w.Reached("O-12, both ways")
	}
}

// checkContinues: the fork of a running instance continues after the last step of the code, unless
// the request names an event.
func (w *checker) checkContinues(of *ledger.Recorded, t *store.Turn, k *takenOver, violate func(string, ...any)) {
	if of.End() != nil || redrivenFrom(t.Events[0].Start) != 0 {
		return
	}
	n := k.seen
	for n > 0 && of.Events[n-1].Kind.Arrival() {
		n--
	}
	if k.events < n {
		violate("it continues from event %d of %s/%d, although its code has made a step at %d", k.events, k.from.Instance, k.from.Execution, n)
	}
}

// checkNoFork: a start that requests a fork creates one. A child starts from the beginning if the
// original's child does not exist.
func (w *checker) checkNoFork(inv *world.Invocation, t *store.Turn) {
	start := t.Events[0].Start
	switch {
	case start == nil:
		return
	case strings.HasPrefix(start.StartID, world.ForkID):
		w.Violate("O-12", "%s/%d treats the fork %s as a plain start", t.Instance, t.ExecutionID, start.StartID)
	case start.Parent == nil || !w.forked || inv == nil || w.Room > 0:
		return // Or the copy does not fit into the commit.
	case w.Ledger.Before(t.Instance, t.ExecutionID) > w.Ledger.Hidden[t.Instance]:
		return // It continues from an execution of its own.
	}
	p := w.Ledger.Executions[ledger.At(start.Parent.Instance, start.Parent.ExecutionID)]
	if p == nil || start.Parent.EventID > int64(len(p.Events)) || !p.Events[start.Parent.EventID-1].Kind.Scheduling() {
		return
	}
	of := p.Events[start.Parent.EventID-1].ForkOf
	if born, there := w.Ledger.Born[of]; there && born < inv.Started && w.Ledger.Hidden[of] == 0 && !w.WasDamaged(of) && w.Faults[fault.Torn] == 0 {
		w.Violate("O-12", "%s/%d, a child of a fork, starts from the beginning, although %s exists", t.Instance, t.ExecutionID, of)
	}
}

// checkCopied: the prefix equals the original's, except for its parents and for children that are
// started again: a child whose id was derived is another instance, and itself a fork.
func (w *checker) checkCopied(of *ledger.Recorded, t *store.Turn, k *takenOver, violate func(string, ...any)) {
	was, is := &of.Events[0], &t.Events[0]
	if is.Name != was.Name || is.Version != was.Version || !bytes.Equal(is.Payload, was.Payload) || was.Start != nil && !maps.Equal(is.Start.Headers, was.Start.Headers) {
		violate("its start differs from that of %s/%d", k.from.Instance, k.from.Execution)
	}
	if p := is.Start.Parent; p != nil && was.Start != nil && was.Start.Parent != nil && *p == *was.Start.Parent {
		violate("the parent of %s waits for it", k.from.Instance)
	}
	done := map[int64]bool{}
	for i := range t.Events {
		if completes(t.Events[i].Kind) != history.KindUnknown {
			done[t.Events[i].SourceEventID] = true
		}
	}
	for i := 1; i < k.events; i++ {
		if i >= len(of.Events) {
			violate("event %d is not in %s/%d", i+1, k.from.Instance, k.from.Execution)
			return
		}
		was, is := of.Events[i], t.Events[i]
		switch {
		case is.Kind == history.ParentAttached && was.Kind == is.Kind:
			if is.Start.Parent != nil {
				violate("by event %d the parent of %s waits for it", i+1, k.from.Instance)
			}
			is.Start = was.Start
		case is.Kind == history.SubOrchestrationScheduled && is.ForkOf != was.ForkOf:
			if is.ForkOf != was.Instance || is.Instance == was.Instance || is.ExplicitID || !strings.HasPrefix(is.Instance, t.Instance+"/") {
				violate("event %d has child %s, forked from %s; in %s/%d it is %s", i+1, is.Instance, is.ForkOf, k.from.Instance, k.from.Execution, was.Instance)
			}
			is.ForkOf, is.Instance = was.ForkOf, was.Instance
		case is.Kind == history.SubOrchestrationScheduled && !is.ExplicitID && !done[is.EventID] && !slices.Contains(t.Cancelled, is.EventID):
			violate("event %d waits for child %s of %s/%d", i+1, is.Instance, k.from.Instance, k.from.Execution)
		}
		if !ledger.Alike(&was, &is) {
			violate("event %d is not that of %s/%d", i+1, k.from.Instance, k.from.Execution)
			return
		}
	}
}

// had returns how many events of its origin an invocation must have seen.
func (w *checker) had(inv *world.Invocation, of ledger.Execution) int {
	if inv == nil || w.Faults[fault.Torn] > 0 {
		return 0
	}
	return w.of(inv).origins[of]
}

// checkForkCarries: of the original's events after the prefix, the fork has all external events and
// all results of operations scheduled in the prefix, and no failure and no cancel.
func (w *checker) checkForkCarries(inv *world.Invocation, of *ledger.Recorded, t *store.Turn, k *takenOver, violate func(string, ...any)) {
	behind := k.events
	if k.events > 0 {
		behind++
	} else {
		k.events = 1
		behind = 1
		defer func() { k.events = 0 }()
	}
	own := t.Events[behind:]
	for n := range own {
		if !own[n].Kind.Arrival() {
			own = own[:n]
			break
		}
	}
	from := redrivenFrom(t.Events[0].Start)
	missing := int64(0)
	for i := k.events; i < len(of.Events); i++ {
		e := &of.Events[i]
		completes := completes(e.Kind)
		inPrefix := completes != history.KindUnknown && e.SourceEventID <= int64(k.events)
		if e.Kind != history.ExternalEvent && (!inPrefix || e.Failure != nil || e.EventID == from) {
			continue
		}
		found := false
		for j := range own {
			if o := &own[j]; o.Kind == e.Kind && o.SourceEventID == e.SourceEventID && o.SenderID == e.SenderID && bytes.Equal(o.Payload, e.Payload) && !k.carried[o.EventID] {
				k.carried[o.EventID], found = true, true
				break
			}
		}
		switch {
		case found && missing > 0:
			violate("it has event %d of %s/%d, and not event %d", e.EventID, k.from.Instance, k.from.Execution, missing)
		case !found && i < k.seen:
			violate("%s at %d of %s/%d is lost", e.Kind, e.EventID, k.from.Instance, k.from.Execution)
		case !found:
			missing = e.EventID
		}
	}
	for i := range own {
		e := &own[i]
		inPrefix := completes(e.Kind) != history.KindUnknown && e.SourceEventID <= int64(k.events) && !t.Events[e.SourceEventID-1].Inline
		if inPrefix && e.Failure != nil {
			violate("event %d carries a failure over", e.EventID)
		}
		if inPrefix && !k.carried[e.EventID] {
			violate("event %d completes %d of %s/%d, which has no such result", e.EventID, e.SourceEventID, k.from.Instance, k.from.Execution)
		}
	}
}

// outcomeOf returns the state of an operation after the first n events of its execution.
func outcomeOf(x *ledger.Recorded, event int64, n int) string {
	for i := range x.Events[:min(n, len(x.Events))] {
		e := &x.Events[i]
		if e.SourceEventID != event || completes(e.Kind) == history.KindUnknown {
			continue
		}
		if e.Failure == nil {
			return "completed"
		}
		switch e.Failure.Kind {
		case history.FailureTimeout, history.FailureTotalTimeout, history.FailureHeartbeatTimeout, history.FailureInterrupted, history.FailureLost:
			return "unsure"
		}
		return "failed"
	}
	return "open"
}

// checkForkedKey is O-12 for an activity that the original has scheduled: it keeps its idempotency
// key if it is open, or if its effect is unknown. It gets a new key if it failed, or if the fork
// repeats it by continuing from its result.
func (w *checker) checkForkedKey(p *world.Process, key store.ActivityKey, was, is string, ran bool) {
	k := w.taken[ledger.At(key.Instance, key.ExecutionID)]
	of := w.Ledger.Executions[k.from]
	if !ran || of == nil {
		return
	}
	outcome := outcomeOf(of, key.EventID, k.seen)
	if outcome != outcomeOf(of, key.EventID, k.stood) {
		return // It ended while the fork was made.
	}
	if keeps := outcome == "open" || outcome == "unsure"; keeps != (was == is) {
		w.Violate("O-12", "%s starts activity %d of %s/%d under key %s, and in %s/%d, where it is %s, it had %s", p.Name,
			key.EventID, key.Instance, key.ExecutionID, is, k.from.Instance, k.from.Execution, outcome, was)
	}
	w.Reached("O-12, a key")
}

// checkForkRuns is O-12: a completed activity does not run again.
func (w *checker) checkForkRuns(p *world.Process, key store.ActivityKey) {
	at := ledger.At(key.Instance, key.ExecutionID)
	x, k := w.Ledger.Executions[at], w.taken[at]
	if x == nil || k == nil || k.from != x.Of || key.EventID > int64(k.events) {
		return
	}
	if done := x.Completed[key.EventID]; done != 0 && (done <= int64(k.events) || k.carried[done]) {
		w.Violate("O-12", "%s runs activity %d of %s/%d, which was completed in %s/%d", p.Name, key.EventID, key.Instance, key.ExecutionID, k.from.Instance, k.from.Execution)
	}
}

// sendsApart is O-12 for the messages that a process sends.
func (w *checker) sendsApart(p *world.Process, body string) {
	if !w.forked {
		return
	}
	item, err := w.Item(body)
	if err != nil {
		return
	}
	switch item.Kind {
	case wire.ActivityExecute, wire.TimerFired:
		w.checkApart(p, fmt.Sprintf("sends %s", item.Kind), item.Target())
	case wire.CancelInstance, wire.TerminateInstance:
		if item.Parent != nil {
			w.checkApart(p, "ends a child", item.Parent.Instance, item.Instance) // Or a message that it has received is requeued.
		}
	}
}

// checkApart is O-12: a process that works for one instance affects no activity, timer or child of
// another.
func (w *checker) checkApart(p *world.Process, does string, of ...string) {
	if !w.forked || p.Orchestrator == nil || p.Running == nil {
		return
	}
	for _, m := range p.Running.Batch {
		if item, err := w.Item(m.Body); err != nil || slices.Contains(of, item.Target()) {
			return
		}
	}
	w.Violate("O-12", "%s %s of %s, and has no message for it", p.Name, does, of[0])
}
