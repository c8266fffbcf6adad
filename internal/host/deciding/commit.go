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
func (t *Turn) commit(p *Plan) error {
	r, d := t.round, t.round.draft
	if err := t.knowFor(d); err != nil {
		return err
	}
	all := &d.Turn
	if t.Running.copies() {
		whole := t.Running.whole(d)
		all = &whole
	}
	on := t.standing(d).Of(all)
	t.owe(&on, all)
	c := &Commit{Change: on.Change, Insists: d.inline, Logs: d.Logs, Cancelled: all.Cancelled, Outcome: stateWord(d.State),
		Mark: Mark{Problem: on.Mark, Moved: on.Moved, Recovered: on.Recovered, Suspected: on.Suspected}}
	if d.Stuck != nil {
		c.Mark.Stuck = d.Stuck.Kind
	}
	if on.Recovered != nil {
		c.Outcome = "recovered"
	}
	if t.Running.copies() {
		c.TakesOver = len(t.Running.Redriven.Prefix)
	}
	if len(d.Events) > 0 {
		c.Turns = []store.Turn{{Instance: t.View.Instance, ExecutionID: t.Running.Execution, Events: all.Events,
			Messaged: d.messaged, Parked: d.parked, Cancelled: all.Cancelled, Reasons: d.Reasons}}
		if len(d.Next) > 0 {
			c.Turns = append(c.Turns, store.Turn{Instance: t.View.Instance, ExecutionID: t.Running.Execution + 1, Events: d.Next, Parked: true})
		}
	}
	if on.Suspected {
		t.Suspicion.Mark, t.Suspicion.Marked = t.Group.Suspect, true
	}
	p.Commit, p.Dispatch = c, t.follows(c.Turns)
	if len(d.Next) > 0 {
		p.Next = &Next{Events: d.Next}
		p.Send.Prune = t.pruneFor(t.Running.Execution + 1)
	}
	if r.then = (*Turn).committed; r.end != nil {
		r.then = (*Turn).forced
	}
	return nil
}

// follows returns the commits to dispatch for turns.
func (t *Turn) follows(turns []store.Turn) []dispatch.Commit {
	if len(turns) == 0 {
		return nil
	}
	started := t.Running.Started()
	all := make([]dispatch.Commit, len(turns))
	for i := range turns {
		c := dispatch.Commit{Turn: &turns[i], Start: started.Start, Name: started.Name, Opened: t.Running.Work}
		if len(dispatch.Named(c.Turn)) > len(c.Cancelled) {
			c.Opened = maps.Clone(c.Opened) // The fired timer is in Work until the commit is made.
		}
		if i > 0 {
			c.Start = turns[i].Events[0].Start
		}
		if dispatch.Ends(&turns[i]) {
			c.Parents = t.Running.X.Attached()
		}
		if held, released := t.Running.X.Held(); i == 0 && len(held) > 0 && (released == 0 || released >= c.First()) {
			// Operations that this commit completes are not in Work yet.
			open := maps.Clone(t.Running.Work)
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

// Took records that a commit was made.
func (t *Turn) Took(c *Commit) {
	t.View.Changed(c.Change)
	if len(c.Turns) > 0 {
		t.View.Wrote(c.Turns)
		t.Running.Creating, t.Running.Confirmed, t.Running.Redriven = false, true, nil
		t.Running.Work.Add(c.Turns[0].Events)
	}
}

// knowFor asks for the record if the projection of a draft needs more of it than is known, or if
// the known record may be old.
func (t *Turn) knowFor(d *draft) error {
	if t.Running.Creating {
		return nil
	}
	if projection.Suspends(&d.Turn) {
		// The record also says whether the instance is stuck.
		if err := t.described(); err != nil {
			return err
		}
	}
	if len(d.SearchSet) > 0 {
		// The record says at which time the index keeps the attributes, and which it already has.
		now, err := t.learn()
		if err != nil {
			return err
		}
		if now && t.Running.Warm && t.View.Problem() != nil {
			return ErrStale // The cache does not know which arrivals are parked.
		}
	}
	end := d.End()
	switch {
	case len(d.Next) > 0:
	case end != nil && !d.messaged && (t.View.Record == nil || t.passed.asked == RecordAgain):
		return t.knowForEnd(d)
	case end == nil && t.problemIn(d) != nil:
		now, err := t.learn()
		if err != nil {
			return err
		}
		if r := t.View.Record; now && (r == nil || r.Purged || r.ExecutionID != t.Running.Execution) {
			return fmt.Errorf("host: instance %q is no longer at execution %d: %w", t.View.Instance, t.Running.Execution, store.ErrConflict)
		}
	}
	return nil
}

// knowForEnd asks for the record that an end is to change. If the record was not known at all, it
// must be one that the end may change without reading it.
func (t *Turn) knowForEnd(d *draft) error {
	unread := t.View.Record == nil
	if t.passed.asked == RecordAgain {
		t.passed.asked, unread = nothing, true
	} else if !t.View.Current {
		if unread {
			return t.ask(&Read{What: RecordAgain})
		}
		return t.currentRecord()
	}
	if r := t.View.Record; unread && !d.messaged && (r == nil || r.Purged || r.ExecutionID != t.Running.Execution || r.Problem != nil) {
		return ErrStale
	}
	return nil
}

// standing returns the state of the turn's instance for a draft.
func (t *Turn) standing(d *draft) *projection.Standing {
	parks := t.round.parks
	s := &projection.Standing{
		Instance: t.View.Instance, Execution: t.Running.Execution, Record: t.View.Record,
		Starts:  projection.Start{Creating: t.Running.Creating, Redriven: t.Running.Redriven != nil},
		Suspect: t.Group.Suspect, Problem: t.problemIn(d), Try: t.round.wakes.try, Now: t.Now.At,
		Ran: !parks && !d.Turn.Parked && d.State != engine.NotStarted,
		Delay: func(tries int) time.Duration {
			return backoff.Grown(t.By.Settings.Turn.WakeFirst, t.By.Settings.Turn.WakeMax, tries-1)
		},
	}
	if t.Suspicion.Poison {
		s.Found = t.Suspicion.Mark
	}
	return s
}
