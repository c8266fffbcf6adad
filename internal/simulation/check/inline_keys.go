package check

import (
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// inlineWork is what a program wants of an inline activity.
type inlineWork struct{ round, id, i int }

// inlineRun is an inline activity that a turn has run, before its commit.
type inlineRun struct {
	at   store.ActivityKey
	work inlineWork
	key  string
}

// runsInline notes under which idempotency key an inline activity runs. One that a redrive or a
// fork has started anew runs before its execution is committed: then the commit is what says from
// where it is.
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

// checkInlineKeys looks at what a turn has run before the commit that begins an execution.
func (w *checker) checkInlineKeys(inv *world.Invocation, t *store.Turn) {
	if inv == nil {
		return
	}
	last := map[store.ActivityKey]*inlineRun{} // An earlier one may be of a plan that was given up.
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

// checkInlineKey is O-10 and O-12 for an inline activity that is started anew: what was open, or
// waited for its retry, or failed without anybody knowing whether it had its effect, keeps its
// idempotency key, and what had failed, or is to happen again, gets a new one.
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

// inlineOutcome is how an inline activity stands by so many events of its execution: the last of
// its attempts decides, of which those that wait over timers have events of their own.
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
