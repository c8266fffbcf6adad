package deciding

import (
	"fmt"
	"maps"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/host/projection"
	"github.com/turnstile-go/turnstile/store"
)

// commit plans the commit of the draft and its dispatch.
func (r *round) commit() (p Plan, err error) {
	k, d, run := r.k, r.draft, &r.k.Running
	problem := r.problem()
	if err := r.knowFor(problem); err != nil {
		return p, err
	}
	c := &Commit{Insists: len(d.calls) > 0, Logs: d.Logs, Outcome: stateWord(d.State)}
	all := &d.Turn
	if run.copies() {
		whole := run.whole(d)
		all, c.TakesOver = &whole, len(run.Redriven.Prefix)
	}
	on := r.standing(problem).Of(all)
	r.unreported.owe(&on, all)
	c.Change = on.Change
	c.Mark = Mark{Problem: on.Mark, Moved: on.Moved, Recovered: on.Recovered, Suspected: on.Suspected}
	if d.Stuck != nil {
		c.Mark.Stuck = d.Stuck.Kind
	}
	if on.Recovered != nil {
		c.Outcome = "recovered"
	}
	if len(d.Events) > 0 { // Without events, the next commit stops what was cancelled.
		c.Cancelled = all.Cancelled
		c.Turns = []store.Turn{{Instance: k.View.Instance, ExecutionID: run.Execution, Events: all.Events,
			Messaged: r.messaged(), Parked: d.Parked, Cancelled: all.Cancelled, Reasons: d.Reasons}}
		if len(d.Next) > 0 {
			c.Answers = run.X.Decided()
			c.Turns = append(c.Turns, store.Turn{Instance: k.View.Instance, ExecutionID: run.Execution + 1, Events: d.Next, Parked: true})
		}
	}
	if on.Suspected {
		r.suspicion.mark = k.Group.Suspect
	}
	p.Commit, p.Dispatch = c, run.follows(c.Turns)
	if len(d.Next) > 0 {
		p.Next = &Next{Events: d.Next}
		p.Send.Prune = pruneFor(k.By.Keeps(run.Started().Name), run.Execution+1)
	}
	r.step = dispatched
	return p, nil
}

// messaged reports whether a redelivered message of this turn will find the commit of the draft. A
// terminate records no event of its own: when it is redelivered, it resends the last turn, which is
// the turn of the forced termination. Any other forced termination belongs to the turn that it
// ends. The turn's message may be recorded in an earlier commit (of inline activities), and then
// resends that commit and all later ones.
func (r *round) messaged() bool {
	return r.draft.messaged() || r.end != nil && r.end.Forced == history.ForcedByOperator
}

// follows returns the commits to dispatch for turns.
func (r *Running) follows(turns []store.Turn) []dispatch.Commit {
	if len(turns) == 0 {
		return nil
	}
	started := r.Started()
	all := make([]dispatch.Commit, len(turns))
	for i := range turns {
		c := dispatch.Commit{Turn: &turns[i], Start: started.Start, Name: started.Name, Opened: r.Work}
		if len(dispatch.Named(c.Turn)) > len(c.Cancelled) {
			c.Opened = maps.Clone(c.Opened) // The fired timer stays in Work until the commit is made.
		}
		if i > 0 {
			c.Start = turns[i].Events[0].Start
		}
		if dispatch.Ends(&turns[i]) {
			c.Parents = r.X.Attached()
		}
		if turns[i].Events[len(turns[i].Events)-1].Kind.Terminal() {
			c.Unanswered = r.X.Unanswered()
		}
		if held, released := r.X.Held(); i == 0 && len(held) > 0 && (released == 0 || released >= c.First()) {
			// Operations that this commit completes are not in Work yet.
			open := maps.Clone(r.Work)
			open.Add(turns[i].Events)
			c.Held, c.HeldDone = held, settledOf(held, open)
		}
		all[i] = c
	}
	return all
}

// settledOf returns the events that have no open operation.
func settledOf(events []history.Event, open dispatch.Work) map[int64]bool {
	settled := map[int64]bool{}
	for i := range events {
		if _, is := open[events[i].EventID]; !is {
			settled[events[i].EventID] = true
		}
	}
	return settled
}

// knowFor requests the record if the projection of the draft needs unknown parts of it, or if the
// known record may be old.
func (r *round) knowFor(problem *store.Problem) error {
	k, d, end := r.k, r.draft, r.draft.End()
	if k.Running.Creating() {
		return nil
	}
	// A suspend or resume also changes a problem. The index keeps search attributes under the time
	// in the record. The record also has the attributes that the index already keeps.
	if projection.Suspends(&d.Turn) || len(d.SearchSet) > 0 || len(d.Next) == 0 && end == nil && problem != nil {
		if err := k.described(); err != nil {
			return err
		}
	}
	of := k.View.Record
	other := of == nil || of.Purged || of.ExecutionID != k.Running.Execution
	switch {
	case len(d.SearchSet) > 0 && k.Answered == Record && k.Running.Warm && k.View.Problem() != nil:
		return ErrStale // The cache does not know which arrivals are parked.
	case len(d.Next) > 0:
	case end == nil && problem != nil && k.Answered == Record && other:
		return fmt.Errorf("host: instance %q is no longer at execution %d: %w", k.View.Instance, k.Running.Execution, store.ErrConflict)
	case end == nil || r.messaged():
	// An end changes the record. If the record is not known at all, the end must be able to change
	// the record without reading it.
	case of == nil && !k.View.Current:
		return &Read{What: RecordAgain}
	case (of == nil || k.Answered == RecordAgain) && (other || of.Problem != nil):
		return ErrStale
	}
	return nil
}

// standing returns the state of the turn's instance for a draft.
func (r *round) standing(problem *store.Problem) *projection.Standing {
	k, d := r.k, r.draft
	s := &projection.Standing{
		Instance: k.View.Instance, Execution: k.Running.Execution, Record: k.View.Record,
		Starts:  projection.Start{Creating: k.Running.Creating(), Redriven: k.Running.Redriven != nil},
		Suspect: k.Group.Suspect, Problem: problem, Try: r.try(), Now: k.Now.At,
		Ran: (d.leaves == short || d.leaves != parked && !d.Parked) && d.State != engine.NotStarted,
		Delay: func(tries int) time.Duration {
			return backoff.Grown(k.By.Settings.Turn.WakeFirst, k.By.Settings.Turn.WakeMax, tries-1)
		},
	}
	if r.suspicion.poison() {
		s.Found = r.suspicion.mark
	}
	return s
}
