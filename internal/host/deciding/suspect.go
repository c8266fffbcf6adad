package deciding

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// Suspicion is what a turn knows of the message that may kill its process.
type Suspicion struct {
	// Marked: the record has the mark of this group's suspect, which is Mark.
	Marked bool
	Mark   string
	// Killer: the suspect found its own second mark.
	Killer bool
}

// SecondMark follows the message's id in the mark of one that found its first.
const SecondMark = "#2"

// suspect deals with a message that was received too often. A receive count
// alone proves nothing: throttling, conflicts and hand-backs count too. So the
// record is flagged with the message's id before the turn, and the flag is removed
// when the turn returns; a process that dies leaves it.
//
// One flag proves nothing either: the answer to its write may have been lost, and
// nothing was run. A message that finds its own flag therefore sets it a second
// time and is run once more; one that finds the second flag is the killer. A flag
// that this invocation has set itself, before a conflict, counts for nothing.
func (t *Turn) suspect(p *Plan) error {
	if t.passed.suspect {
		return nil
	}
	t.passed.suspect = true
	r, s := t.View.Record, &t.Suspicion
	if t.Running.Creating || r == nil || r.Status.Terminal() {
		// A start is marked in the commit that records it.
		return nil
	}
	id, second := strings.CutSuffix(r.Suspect, SecondMark)
	if id != "" && slices.ContainsFunc(t.Group.Messages, func(m *inbox.Message) bool { return m.ID == id && m.Returning() }) {
		s.Mark = r.Suspect
		if !second && t.Group.Suspect == "" {
			// It was not received too often, so another try sets no mark, and may run beside others.
			s.Marked = true
			return nil
		}
		t.Group.Suspect = id
		switch {
		case t.Group.Marked:
			// It is taken away when the turn has returned.
			s.Marked = true
			return nil
		case second:
			// The mark goes with the commit that records the finding.
			s.Killer = true
			p.tell(counted(host.CountStuck, store.ProblemKilled))
			return nil
		}
		s.Mark += SecondMark
	} else if s.Mark = t.Group.Suspect; s.Mark == "" {
		return nil
	}
	p.Record = &Write{Failed: "suspect of instance %q not marked", Change: &store.RecordChange{
		If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true}, Suspect: &s.Mark, UpdatedAt: t.Now.At}}
	return nil
}

// Cleared returns the change that removes the flag: the turn returned, so it has not
// killed its process. A killer's flag stays until its arrivals are recorded. Nil if there
// is none to remove.
func (t *Turn) Cleared(failed bool) *store.RecordChange {
	s, r := &t.Suspicion, t.View.Record
	if !s.Marked && (!s.Killer || failed) || r == nil || r.Suspect == "" {
		return nil
	}
	none := ""
	return &store.RecordChange{If: store.RecordCondition{Suspect: &s.Mark}, Suspect: &none, UpdatedAt: t.Now.At}
}

// mustPark reports whether arrivals are recorded without running the code:
// arrivals of a turn that killed its process twice, and all that reach an
// instance which is stuck for that, and which only wakes try.
func (t *Turn) mustPark(w wakes) bool {
	p := t.View.Problem()
	return t.Suspicion.Killer || w.try == "" && !t.Running.Creating && p != nil && p.Kind == store.ProblemKilled
}
