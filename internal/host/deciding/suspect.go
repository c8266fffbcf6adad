package deciding

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// Suspicion is the state of the suspected poison message of a turn.
type Suspicion struct {
	// Marked: the record has the mark of this group's suspect. Mark is that mark.
	Marked bool
	Mark   string
	// Poison: the suspect has found its own second mark, so it is a poison message.
	Poison bool
}

// SecondMark is appended to the message's id in the mark of a message that has found its first
// mark.
const SecondMark = "#2"

// suspect handles a message that was received too often. A receive count alone proves nothing,
// because throttling, conflicts and returns count too. So the record is marked with the message's
// id before the turn, and the mark is removed when the turn returns; a process that dies leaves it.
//
// One mark proves nothing either: the response to its write may have been lost before any code ran.
// So a message that finds its own mark sets a second one and is run once more. A message that finds
// its second mark is the poison message. A mark that this invocation has set itself, before a
// conflict, does not count.
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
			// The message was not received too often, so another try sets no mark and may run
			// concurrently with others.
			s.Marked = true
			return nil
		}
		t.Group.Suspect = id
		switch {
		case t.Group.Marked:
			// The mark is removed when the turn has returned.
			s.Marked = true
			return nil
		case second:
			// The mark is removed by the commit that records the finding.
			s.Poison = true
			p.report(counted(host.CountStuck, store.ProblemKilled))
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

// Cleared returns the change that removes the mark, because the turn has returned and so has not
// ended its process. The mark of a poison message stays until its arrivals are recorded. It returns
// nil if there is no mark to remove.
func (t *Turn) Cleared(failed bool) *store.RecordChange {
	s, r := &t.Suspicion, t.View.Record
	if !s.Marked && (!s.Poison || failed) || r == nil || r.Suspect == "" {
		return nil
	}
	none := ""
	return &store.RecordChange{If: store.RecordCondition{Suspect: &s.Mark}, Suspect: &none, UpdatedAt: t.Now.At}
}

// mustPark reports whether arrivals are recorded without running the code. That applies to the
// arrivals of a turn that ended its process twice, and to all arrivals for an instance that is
// stuck for that reason, which only wakes run.
func (t *Turn) mustPark(w wakes) bool {
	p := t.View.Problem()
	return t.Suspicion.Poison || w.try == "" && !t.Running.Creating && p != nil && p.Kind == store.ProblemKilled
}
