package check

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// checkStatus is I-06: the record has the custom status that the history's code set last.
func (w *checker) checkStatus(instance string, n int64, events []history.Event, set []byte) {
	if w.Older || n != w.Ledger.Last[instance] || events[len(events)-1].Imposed != "" {
		return // Code of another build may have set another; and an end that was imposed runs no code.
	}
	r, err := w.Describe(instance)
	if err == nil && !bytes.Equal(r.CustomStatus, set) {
		w.Violate("I-06", "the record of %s has the custom status %s, by its history it is %s", instance, r.CustomStatus, set)
	}
}

// checkLosers is rule 8: the losers of a select are cancelled in the order of their
// scheduling, whatever the order of its arguments.
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
					w.Violate("rule 8", "event %d of %s/%d lost a select, and is open", id, t.Instance, t.ExecutionID)
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

// checkStatusGoesOn is I-06 for a commit by which an instance goes over to its next execution:
// the record has the custom status that the start of that gives, and no older one.
func (w *checker) checkStatusGoesOn(t *store.Turn) {
	s := t.Events[0].Start
	if t.First() != 1 || t.ExecutionID == w.Ledger.First(t.Instance) || s == nil {
		return
	}
	w.Reached("I-06, status goes on")
	if r, err := w.Describe(t.Instance); err == nil && r.ExecutionID == t.ExecutionID && !bytes.Equal(r.CustomStatus, s.CustomStatus) {
		w.Violate("I-06", "the record of %s has the custom status %s, execution %d begins with %s", t.Instance, r.CustomStatus, t.ExecutionID, s.CustomStatus)
	}
}

// checkStatusNow is I-06 for what has just landed: the record has the custom status that the
// code sets by the history as it stands, whether or not the execution ends. A replay takes
// time, so one commit in four is looked at.
func (w *checker) checkStatusNow(p *world.Process, x *ledger.Recorded, t *store.Turn) {
	if w.Commits%4 != 0 || w.Walk != nil || w.Older || p.Code != w.Good || t.Parked || x.End() != nil {
		return // Code of another build may have set another.
	}
	execution := engine.New(engine.Config{Instance: t.Instance, ExecutionID: t.ExecutionID, Registry: w.Good.Orchestrations})
	defer execution.Close()
	if err := execution.Feed(x.Events, false); err != nil {
		return // The end of the run tells of it.
	}
	out, err := execution.Run(engine.Input{NowMS: w.Clock.Now().UnixMilli()})
	if err != nil || len(out.Events) > 0 || out.Stuck != nil || out.State == engine.RunInline {
		return // The code has more to do with what is recorded.
	}
	w.Reached("I-06, status as it runs")
	// A process that has it warm may record something after the purge of what was corrupt.
	if r, err := w.Describe(t.Instance); err == nil && !r.Purged && r.ExecutionID == t.ExecutionID && !bytes.Equal(r.CustomStatus, out.CustomStatus) {
		w.Violate("I-06", "the record of %s/%d, which runs, has the custom status %s, by its history it is %s", t.Instance, t.ExecutionID, r.CustomStatus, out.CustomStatus)
	}
}
