package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// checkStatus is I-06: the record has the states that the code of the history set last.
func (w *checker) checkStatus(instance string, n int64, events []history.Event, set []byte) {
	if w.Older || n != w.Ledger.Last[instance] || events[len(events)-1].Forced != "" {
		return // Code of another build may have set another, and a forced termination runs no code.
	}
	r, err := w.Describe(instance)
	if err == nil && !bytes.Equal(r.States, set) {
		w.Violate("I-06", "the record of %s has the states %s; according to its history they are %s", instance, r.States, set)
	}
}

// checkLosers is rule 8: the losers of a select are cancelled in the order of their scheduling,
// whatever the order of its arguments.
func (w *checker) checkLosers(x *ledger.Recorded, t *store.Turn) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.Kind != history.SystemCall || e.Op != history.OpSideEffect || e.Name != program.LosersOf {
			continue
		}
		var ids []int64
		if err := json.Unmarshal(e.Payload, &ids); err != nil {
			w.Violate("world", "event %d of %s/%d: %v", e.EventID, t.Instance, t.ExecutionID, err)
		}
		last := -1
		for _, id := range ids {
			at := slices.Index(t.Cancelled, id)
			if at < 0 {
				if x.Completed[id] == 0 && !x.Stopped[id] {
					w.Violate("rule 8", "event %d of %s/%d lost a select, but is open", id, t.Instance, t.ExecutionID)
				}
				continue
			}
			if at < last {
				w.Violate("rule 8", "the losers %v of a select of %s/%d were cancelled in the order of %v", ids, t.Instance, t.ExecutionID, t.Cancelled)
			}
			last = at
		}
	}
}

// checkStatusContinues is I-06 for a commit by which an instance continues with its next
// execution: the record has the states that the new start gives, and no older one.
func (w *checker) checkStatusContinues(t *store.Turn) {
	s := t.Events[0].Start
	if t.First() != 1 || t.ExecutionID == w.Ledger.First(t.Instance) || s == nil {
		return
	}
	w.Reached("I-06, status goes on")
	if r, err := w.Describe(t.Instance); err == nil && r.ExecutionID == t.ExecutionID && !bytes.Equal(r.States, s.States) {
		w.Violate("I-06", "the record of %s has the states %s, execution %d starts with %s", t.Instance, r.States, t.ExecutionID, s.States)
	}
}

// checkStatusNow is I-06 for what has just landed: the record has the states that the code
// sets when it replays the current history, whether or not the execution ends. A replay takes
// time, so one commit in four is checked.
func (w *checker) checkStatusNow(p *world.Process, x *ledger.Recorded, t *store.Turn) {
	if w.Commits%4 != 0 || w.Walk != nil || w.Older || p.Code != w.Good || t.Parked || x.End() != nil {
		return // Code of another build may have set another.
	}
	execution := engine.New(engine.Config{Instance: t.Instance, ExecutionID: t.ExecutionID, Registry: w.Good.Orchestrations})
	defer execution.Close()
	if err := execution.Feed(x.Events, false); err != nil {
		return // The end of the run checks it.
	}
	out, err := execution.Run(engine.Input{NowMS: w.Clock.Now().UnixMilli()})
	if err != nil || len(out.Events) > 0 || out.Stuck != nil || out.State == engine.RunInline {
		return // The code has more to do with what is recorded.
	}
	w.Reached("I-06, status as it runs")
	// A process that has it warm may record something after the purge of a corrupt history.
	if r, err := w.Describe(t.Instance); err == nil && !r.Purged && r.ExecutionID == t.ExecutionID && !bytes.Equal(r.States, out.States) {
		w.Violate("I-06", "the record of %s/%d, which is running, has the states %s; according to its history they are %s", t.Instance, t.ExecutionID, r.States, out.States)
	}
}

// checkNumbers is I-06 for the numbers of states: a value has that of an event which the history has, a
// later value has a higher one, and a number stands for one value.
func (w *checker) checkNumbers(x *ledger.Recorded, t *store.Turn) {
	r, err := w.Describe(t.Instance)
	if err != nil || r.Purged || r.ExecutionID != t.ExecutionID {
		return
	}
	states, err := history.DecodeStates(r.States)
	if err != nil {
		w.Violate("I-06", "the record of %s: %v", t.Instance, err)
	}
	for i := range states {
		s := &states[i]
		if s.ExecutionID > t.ExecutionID || s.ExecutionID == t.ExecutionID && s.EventID > int64(len(x.Events)) {
			w.Violate("I-06", "the state %s of %s/%d has the number %d.%d, and the history has %d events", s.Name, t.Instance, t.ExecutionID, s.ExecutionID, s.EventID, len(x.Events))
		}
		at := slices.IndexFunc(w.shown[t.Instance], func(before history.State) bool { return before.Name == s.Name })
		if at < 0 {
			continue
		}
		before := &w.shown[t.Instance][at]
		w.Reached("I-06, a state again")
		if lower := cmp.Or(cmp.Compare(s.ExecutionID, before.ExecutionID), cmp.Compare(s.EventID, before.EventID)); lower < 0 || lower == 0 && !w.Older && !bytes.Equal(s.Value, before.Value) {
			w.Violate("I-06", "the state %s of %s is %s with the number %d.%d after %s with %d.%d", s.Name, t.Instance, s.Value, s.ExecutionID, s.EventID, before.Value, before.ExecutionID, before.EventID)
		}
	}
	if w.shown == nil {
		w.shown = map[string][]history.State{}
	}
	w.shown[t.Instance] = states
}
