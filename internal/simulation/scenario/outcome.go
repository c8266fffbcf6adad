package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// Check implements scenario.
func (s *Random) Check(w *world.World) {
	for _, r := range s.roots {
		if w.Ledger.Last[r.instance] == 0 {
			w.Violate("I-07", "%s was never started", r.instance)
		}
	}
	for _, instance := range w.Ledger.Instances() {
		if w.Ledger.Hidden[instance] == w.Ledger.Last[instance] || w.Ledger.Forsaken[instance] {
			continue
		}
		judge := s.judge
		if w.Ledger.Executions[ledger.At(instance, w.Ledger.Last[instance])].Events[0].Name == coordination.Orchestration {
			continue // The operator has judged it.
		}
		if isCompanion(w, instance) {
			judge = s.judgeCompanion
		}
		if err := judge(w, instance); err != nil {
			w.Violate("outcome", "%s: %v", instance, err)
		}
	}
	s.checkUpdates(w)
}

func (s *Random) judge(w *world.World, instance string) error {
	r, err := w.Describe(instance)
	if err != nil {
		return err
	}
	p := s.program(r.Name)
	cancelled := false
	for _, x := range w.Ledger.Executed(instance) {
		cancelled = cancelled || x.Cancelled
	}
	switch r.Status {
	case store.StatusCompleted:
		excused := excused(w)
		if s.redriven {
			excused[history.FailureStuck] = true // It cannot continue from where a client wants it to.
		}
		if s.purged && s.redriven {
			excused[history.FailurePurged] = true // It starts a child again that has completed and was purged since.
		}
		m := program.Match{Programs: s.Programs, Sent: s.sent, Wrong: s.wrong, Rejected: rejected(w, instance), Redriven: s.redriven, Cancelled: s.redriven && (cancelled || s.originCancelled(w, instance)), Lenient: s.lenient, Used: map[string]bool{}, Order: eventOrder(w, instance), Excused: excused, Ended: len(s.ended) > 0, Purged: s.purged, Versions: versionsRan(w, instance, p)}
		return m.Transcript(p, r.Output, cancelled)
	case store.StatusFailed:
		if hadNoRoom(w, &r) {
			return nil
		}
		if (!p.Fails || r.Failure.Kind != history.FailureApplication) && !(cancelled && excused(w)[r.Failure.Kind]) {
			return fmt.Errorf("it has failed with %+v, but must not fail", r.Failure)
		}
	case store.StatusCancelled:
		if !cancelled {
			return errors.New("it is cancelled, although no client cancelled it")
		}
		if p.Catches {
			return errors.New("it is cancelled, but its clean-up did not complete")
		}
	case store.StatusTerminated:
		if !s.mayBeTerminated(w, instance) {
			return errors.New("it is terminated, although no client terminated it")
		}
	}
	return nil
}

// originCancelled reports whether an instance from which this one was forked was cancelled: then
// the originals of the fork's children may have been cancelled too. An original may itself be a
// fork, and may be forked in a later execution than its first.
func (s *Random) originCancelled(w *world.World, instance string) bool {
	first := func(instance string) *ledger.Recorded {
		return w.Ledger.Executions[ledger.At(instance, w.Ledger.First(instance))]
	}
	for x := first(instance); x != nil; x = first(x.Of.Instance) {
		for n := int64(1); n <= w.Ledger.Last[x.Of.Instance]; n++ {
			if of := w.Ledger.Executions[ledger.At(x.Of.Instance, n)]; of != nil && of.Cancelled {
				return true
			}
		}
	}
	return false
}

// hadNoRoom reports whether an instance has failed because one message produced more events than a
// commit holds.
func hadNoRoom(w *world.World, r *store.Record) bool {
	return w.Room > 0 && r.Status == store.StatusFailed && r.Failure.Kind == history.FailureTooLarge
}

// mayBeTerminated reports whether it or one of its ancestors was terminated.
func (s *Random) mayBeTerminated(w *world.World, instance string) bool {
	return s.terminatedAbove(w, instance, map[string]bool{})
}

func (s *Random) terminatedAbove(w *world.World, instance string, seen map[string]bool) bool {
	if seen[instance] {
		return false
	}
	seen[instance] = true
	for _, r := range s.roots {
		if r.instance == instance {
			return r.terminated
		}
	}
	if s.ended[instance] {
		return true
	}
	for _, p := range s.parents(w, instance) {
		if terminatesWithParent(w, p) || s.terminatedAbove(w, p.Instance, seen) {
			return true
		}
	}
	return false
}

// parents returns the parents of an instance: those of its last execution, and, in a run with
// redrives, of all its executions, because a terminated parent may belong to an earlier run.
func (s *Random) parents(w *world.World, instance string) (all []*history.Parent) {
	last := w.Ledger.Last[instance]
	first := last
	if s.redriven {
		first = 1
	}
	for n := first; n <= last; n++ {
		x := w.Ledger.Executions[ledger.At(instance, n)]
		if x == nil {
			continue
		}
		for i := range x.Events {
			if i > 0 && !s.redriven {
				break
			}
			if start := x.Events[i].Start; start != nil && start.Parent != nil {
				all = append(all, start.Parent)
			}
		}
	}
	return all
}

// excused returns the kinds of failure of activities and children that faults of the run explain.
func excused(w *world.World) map[string]bool {
	m := map[string]bool{}
	if w.Faults[fault.SlowActivity]+w.Faults[fault.Slow]+w.Faults[fault.Stalled]+w.Faults[fault.OutOfTime] > 0 {
		m[history.FailureTimeout] = true
	}
	if w.Lost {
		m[history.FailureLost] = true
	}
	if w.Faults.Total() > 0 || w.Died {
		m[history.FailureInterrupted] = true
	}
	if w.Faults[fault.SlowActivity]+w.Faults[fault.Slow]+w.Faults[fault.Stalled]+w.Faults[fault.OutOfTime]+w.Faults[fault.Frozen] > 0 {
		m[history.FailureHeartbeatTimeout] = true
	}
	if w.Room > 0 || w.Rejected {
		m[history.FailureTooLarge] = true
	}
	return m
}

// hasRecorded reports whether the history that the running process knows has an activity of the
// statement. A fork presents itself to code as its original, and a redriven execution as the one
// that it continues from, which has ended: if one of these lacks the activity, or may not exist
// yet, the answer is no for all of them.
func hasRecorded(w *world.World, info engine.Info, id, round int) bool {
	key := ledger.At(info.Instance, info.ExecutionID)
	x := w.Ledger.Executions[key]
	if x == nil || x.End() != nil || !hasActivity(x.Events[:min(w.Executing.Seen[key], int64(len(x.Events)))], id, round) {
		return false
	}
	if inv := w.Executing.Running; inv != nil && slices.ContainsFunc(inv.Batch, func(m world.Delivered) bool {
		item, err := w.Item(m.Body)
		return err == nil && item.Origin != nil && item.Origin.Instance == key.Instance
	}) {
		return false // It is before the first commit of one of these.
	}
	for at, other := range w.Ledger.Executions {
		start := other.Events[0].Start
		redriven := at.Instance == key.Instance && start != nil && start.Origin != nil && start.Origin.FirstExecutionID == key.Execution
		if (redriven || other.Of == key) && !hasActivity(other.Events, id, round) {
			return false
		}
	}
	return true
}

func hasActivity(events []history.Event, id, round int) bool {
	return slices.ContainsFunc(events, func(e history.Event) bool {
		var in program.Work
		return e.Kind == history.ActivityScheduled && json.Unmarshal(e.Payload, &in) == nil && in.ID == id && in.Round == round
	})
}
