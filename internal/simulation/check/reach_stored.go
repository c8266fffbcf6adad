package check

import (
	"errors"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// Situations that are observed in the stored state.

// reachAnswer classifies the result of a commit: M-11, W-02, W-08.
func (w *checker) reachAnswer(p *world.Process, c *store.Commit, err error) {
	t := &c.Turns[0]
	inv := p.Running
	switch {
	case err == nil:
		w.of(inv).progress.sends, w.of(inv).progress.ran = 0, false
		delete(w.reach.unknown, t.Token)
	case errors.Is(err, store.ErrConflict) && !p.Dead:
		w.Reached("M-11")
		if !w.of(inv).progress.read.Of(t.Instance) {
			w.Reached("W-08")
			if slices.ContainsFunc(t.Events, func(e history.Event) bool { return e.Inline }) {
				w.Reached("W-08, an inline activity")
			}
		}
	case errors.Is(err, store.ErrUnknownOutcome):
		w.reach.unknown[t.Token] = true
	}
	if err != nil {
		w.of(inv).progress.refused.Set(t.Instance, true)
	}
}

// landedIn records which executions an invocation has committed turns of, whether it learns
// of it or not.
func (w *checker) landedIn(inv *world.Invocation, c *store.Commit) {
	for i := range c.Turns {
		t := &c.Turns[i]
		if w.of(inv).progress.from.Of(t.Instance) == 0 {
			w.of(inv).progress.from.Set(t.Instance, t.ExecutionID)
		}
		w.of(inv).progress.to.Set(t.Instance, t.ExecutionID)
	}
}

// reachRead classifies a read: W-02, if a process finds a commit whose writer does not know
// that it landed.
func (w *checker) reachRead(p *world.Process, instance string, turns []store.Turn, err error) {
	if p.Dead {
		return
	}
	w.of(p.Running).progress.read.Set(instance, true)
	if err != nil {
		w.of(p.Running).progress.refused.Set(instance, true)
	}
	for i := range turns {
		if w.reach.unknown[turns[i].Token] {
			delete(w.reach.unknown, turns[i].Token)
			w.Reached("W-02")
		}
	}
}

// reachTurn classifies a turn that has landed: M-02, M-07, M-09, M-17.
func (w *checker) reachTurn(p *world.Process, x *ledger.Recorded, t *store.Turn) {
	if wire.Group(t.Instance) != t.Instance && t.First() > 1 {
		w.Reached("M-17")
	}
	last := int64(0)
	for i := range x.Events {
		e := &x.Events[i]
		if e.EventID >= t.First() {
			if e.SourceEventID > 0 && e.SourceEventID < last {
				w.Reached("M-02")
			}
			if event := [2]string{t.Instance, e.SenderID}; e.Kind == history.ExternalEvent && w.reach.early[event] {
				delete(w.reach.early, event)
				w.Reached("M-07")
			}
			if e.Kind == history.OrchestrationStarted && p.Code != nil {
				if _, err := p.Code.Orchestrations.Newest(e.Name); err != nil {
					w.Reached("M-09")
				}
			}
		}
		last = max(last, e.SourceEventID)
	}
	if t.Parked && w.reach.stuck[t.Instance] && t.First() > 1 {
		w.reach.waiting[t.Instance] = true
	}
	end := x.End()
	if end == nil || end.Kind == history.OrchestrationContinuedAsNew || p.Running == nil {
		return
	}
	if start := x.Events[0].Start; start != nil && start.Parent != nil {
		note(&w.of(p.Running).progress.unreported, ledger.Child{Parent: start.Parent.Instance, Execution: start.Parent.ExecutionID, EventID: start.Parent.EventID}, true)
	}
}

// marked classifies a record: M-13 and W-09.
func (w *checker) marked(r *store.Record) {
	stuck := r.Status == store.StatusStuck
	if stuck && !w.reach.stuck[r.Instance] && r.Problem != nil && r.Problem.Kind == "killed" {
		w.Reached("W-09")
	}
	w.reach.stuck[r.Instance] = stuck
	w.Scenario.Marked(w.World, r)
	w.strictly(r)
	if !stuck && w.reach.waiting[r.Instance] {
		delete(w.reach.waiting, r.Instance)
		if r.Status == store.StatusRunning || r.Status == store.StatusCompleted {
			w.Reached("M-13")
		}
	}
}

// landedLate classifies a commit that lands after its writer received an answer: W-13, if
// the writer has continued with another turn by then.
func (w *checker) landedLate(p *world.Process, c *store.Commit) {
	if !p.Dead && w.latest[commitOf{p, c.Turns[0].Instance}] != c.Turns[0].Token {
		w.Reached("W-13")
	}
}

// present reports whether an instance can be described.
func (w *checker) present(instance string) bool {
	r, err := w.Describe(instance)
	return err == nil && !r.Purged
}
