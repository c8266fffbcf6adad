package check

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// checkOneByOne is R-11 for executions in which no event was ever parked: if their incoming
// events had arrived one at a time, the history would be the same.
func (w *checker) checkOneByOne(instance string, n int64, turns []store.Turn, events []history.Event) {
	if w.Older {
		return // The working build takes a different path from the one in this history.
	}
	for i := range turns {
		if turns[i].Parked {
			return
		}
	}
	for k := w.taken[ledger.At(instance, n)]; k != nil; k = w.taken[k.from] {
		if x := w.Ledger.Executions[k.from]; x != nil && len(x.Parked) > 0 {
			return // It may have copied events that were parked there.
		}
	}
	x := engine.New(engine.Config{Instance: instance, ExecutionID: n, Registry: w.Good.Orchestrations})
	defer x.Close()
	for at := 0; at < len(events); {
		e := &events[at]
		if e.Forced != "" {
			return
		}
		a := engine.Arrival{Event: *e}
		switch {
		case e.Kind == history.OrchestrationStarted:
			for next := at + 1; next < len(events) && events[next].WithPrevious; next++ {
				a.With = append(a.With, events[next])
			}
		case e.Kind == history.OrchestrationRedriven:
			k := w.redrivenAt(instance, n, e.EventID)
			for next := at + 1; next < len(events) && k != nil && k.carried[events[next].EventID]; next++ {
				a.With = append(a.With, events[next])
			}
		case e.SourceEventID > 0:
			a.Inline = events[e.SourceEventID-1].Inline
			a.Proven = true
		}
		out, err := x.Run(engine.Input{NowMS: e.AtMS, Arrivals: []engine.Arrival{a}})
		if err != nil || len(out.Events) == 0 {
			w.Violate("R-11", "%s/%d: event %d, processed alone, is not recorded: %v, %v", instance, n, e.EventID, out.Verdicts, err)
			return
		}
		for i := range out.Events {
			if out.Events[i].Op == history.OpGUID && !w.Scenario.IsRandom() {
				return // Its id would be different, and the code may depend on it. Random programs do not.
			}
			if w.Room > 0 && at+i < len(events) && events[at+i].Forced == history.ForcedByLimit {
				return // A commit has no room for the operations that the code schedules.
			}
			is := &out.Events[i]
			if at+i < len(events) && isVerdict(is) && isVerdict(&events[at+i]) && is.SourceEventID == events[at+i].SourceEventID && program.ByMood(events[is.SourceEventID-1].Payload) {
				return // The validator may have changed its mind.
			}
			if at+i >= len(events) || is.Kind != events[at+i].Kind || is.Name != events[at+i].Name || is.SourceEventID != events[at+i].SourceEventID ||
				is.WithPrevious && !events[at+i].WithPrevious { // A turn that only records events, as behind an open inline activity, marks more of them than if they arrived one at a time.
				was := "nothing"
				if at+i < len(events) {
					was = fmt.Sprintf("%s %s", events[at+i].Kind, events[at+i].Name)
				}
				w.Violate("R-11", "%s/%d: if its arrivals had come one at a time, event %d would be %s %s; it is %s", instance, n, at+i+1, is.Kind, is.Name, was)
				return
			}
		}
		at += len(out.Events)
	}
}

// redrivenAt returns the copy with which a redrive passed on the event: the redrive that
// started execution n, or an earlier one through which n has the event.
func (w *checker) redrivenAt(instance string, n, event int64) *takenOver {
	k := w.taken[ledger.At(instance, n)]
	for k != nil && int64(k.events) != event-1 {
		k = w.taken[k.from]
	}
	return k
}
