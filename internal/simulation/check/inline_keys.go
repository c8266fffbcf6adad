package check

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// inlineWork identifies the work that a program requests from an inline activity.
type inlineWork struct{ round, id, i int }

// inlineRun is an inline activity that a turn has run, before its commit.
type inlineRun struct {
	at   store.ActivityKey
	work inlineWork
	key  string
}

// runsInline records the idempotency key with which an inline activity runs. One that a redrive
// or a fork starts again runs before its execution is committed, and only the commit says where
// the execution continues from.
func (w *checker) runsInline(p *world.Process, at store.ActivityKey, in *program.Work, info *activities.Info) {
	run := inlineRun{at, inlineWork{in.Round, in.ID, in.I}, info.IdempotencyKey}
	if w.inline[at] == nil {
		note(&w.inline, at, map[inlineWork]string{})
	}
	w.inline[at][run.work] = run.key
	if w.taken[ledger.At(at.Instance, at.ExecutionID)] != nil {
		w.checkInlineKey(&run)
	} else if p.Running != nil {
		n := w.of(p.Running)
		n.inline = append(n.inline, run)
	}
}

// checkInlineKeys checks the activities that a turn has run before the commit that starts an
// execution.
func (w *checker) checkInlineKeys(inv *world.Invocation, t *store.Turn) {
	if inv == nil {
		return
	}
	last := map[store.ActivityKey]*inlineRun{} // An earlier one may belong to a plan that was dropped.
	runs := w.of(inv).inline
	for i, run := range runs {
		if run.at.Instance == t.Instance && run.at.ExecutionID == t.ExecutionID {
			last[run.at] = &runs[i]
		}
	}
	for _, run := range last {
		w.checkInlineKey(run)
	}
}

// checkInlineKey is O-10 and O-12 for an inline activity that is started again: it keeps its
// idempotency key if it was open, waited for its retry, or failed with an unknown effect. It gets
// a new key if it failed otherwise, or should be repeated.
func (w *checker) checkInlineKey(run *inlineRun) {
	k := w.taken[ledger.At(run.at.Instance, run.at.ExecutionID)]
	if k == nil || run.at.EventID > int64(k.events) {
		return
	}
	from := run.at
	from.Instance, from.ExecutionID = k.from.Instance, k.from.Execution
	was, ran := w.inline[from][run.work]
	before := w.Ledger.Executions[k.from]
	if !ran || before == nil {
		return
	}
	seen := len(before.Events)
	if k.stood > 0 {
		seen = k.seen
	}
	outcome := inlineOutcome(before, run.at.EventID, seen)
	if k.stood > 0 && outcome != inlineOutcome(before, run.at.EventID, k.stood) {
		return // It ended while the fork was made.
	}
	if keeps := outcome == "open" || outcome == "unsure"; keeps != (was == run.key) {
		w.Violate("O-10", "inline activity %d of %s/%d ran under key %s, and in %s/%d, where it is %s, under %s",
			run.at.EventID, run.at.Instance, run.at.ExecutionID, run.key, k.from.Instance, k.from.Execution, outcome, was)
	}
	w.Reached("O-10, an inline key")
}

// inlineOutcome returns the state of an inline activity after the first n events of its
// execution. The last attempt decides; attempts that waited for a timer have events of their own.
func inlineOutcome(x *ledger.Recorded, event int64, n int) string {
	events := x.Events[:min(n, len(x.Events))]
	first := event
	if r := x.Events[event-1].Retry; r != nil && r.FirstEventID != 0 {
		first = r.FirstEventID
	}
	again := false
	for i := range events {
		switch e := &events[i]; {
		case e.SourceEventID == event && e.Failure != nil && e.Failure.RetryAfterMS > 0:
			again = true
		case e.EventID > event && e.Kind == history.ActivityScheduled && e.Retry != nil && e.Retry.FirstEventID == first:
			return inlineOutcome(x, e.EventID, n)
		}
	}
	if again {
		return "open"
	}
	return outcomeOf(x, event, n)
}
