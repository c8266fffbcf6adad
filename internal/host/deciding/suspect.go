package deciding

import (
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// SecondMark is appended to the message's id in the mark of a message that has found its first
// mark.
const SecondMark = "#2"

// suspicion handles a message that was received too often. A receive count alone proves nothing,
// because throttling, conflicts and returns count too. So the record is marked with the message's
// id before the turn, and the mark is removed when the turn returns; a process that dies leaves it.
//
// A single mark proves nothing either, because the response to its write may have been lost before
// any code ran. So a message that finds its own mark sets a second mark and is run once more. A
// message that finds its second mark is the poison message. A mark that this invocation set itself,
// before a conflict, does not count.
type suspicion struct {
	*Known
	// mark is the mark of a message of this group, which this attempt has found in the record or
	// sets there; empty for none.
	mark string
}

// decide finds or sets the mark, once.
func (s *suspicion) decide() (p Plan, err error) {
	r := s.View.Record
	if s.mark != "" || s.Running.Creating() || r == nil || r.Status.Terminal() {
		// A start is marked in the commit that records it.
		return p, nil
	}
	id, second := strings.CutSuffix(r.Suspect, SecondMark)
	if id != "" && slices.ContainsFunc(s.Group.Messages, func(m *inbox.Message) bool { return m.ID == id && m.Returning() }) {
		s.mark = r.Suspect
		if !second && s.Group.Suspect == "" {
			// The message was not received too often, so a further try sets no mark and may run
			// concurrently with others.
			return p, nil
		}
		s.Group.Suspect = id
		switch {
		case s.Group.Marked:
			// The mark is removed when the turn has returned.
			return p, nil
		case second:
			// The mark is removed by the commit that records the finding.
			return Plan{Reports: []Report{counted(host.CountStuck, store.ProblemKilled)}}, nil
		}
		s.mark += SecondMark
	} else if s.mark = s.Group.Suspect; s.mark == "" {
		return p, nil
	}
	mark := s.mark
	p.Record = &Write{Failed: "could not mark the suspect of instance %q", Change: &store.RecordChange{
		If: store.RecordCondition{Exists: true, ExecutionID: r.ExecutionID, Running: true}, Suspect: &mark, UpdatedAt: s.Now.At}}
	return p, nil
}

// poison reports whether the suspect has found its own second mark, so it is a poison message.
func (s *suspicion) poison() bool {
	return strings.HasSuffix(s.mark, SecondMark) && !s.Group.Marked
}

// cleared returns the change that removes the mark, because the turn has returned and so has not
// killed its process. The mark of a poison message stays until its arrivals are recorded. It
// returns nil if there is no mark to remove.
func (s *suspicion) cleared(failed bool) *store.RecordChange {
	r := s.View.Record
	if s.mark == "" || r == nil || r.Suspect != s.mark || failed && s.poison() {
		return nil
	}
	mark, none := s.mark, ""
	return &store.RecordChange{If: store.RecordCondition{Suspect: &mark}, Suspect: &none, UpdatedAt: s.Now.At}
}

// mustPark reports whether arrivals are recorded without running the code. That applies to the
// arrivals of a turn that killed its process twice, and to all arrivals for an instance that is
// stuck for that reason and that only wakes may run. try is the id of a wake; empty for none.
func (s *suspicion) mustPark(try string) bool {
	p := s.View.Problem()
	return s.poison() || try == "" && !s.Running.Creating() && p != nil && p.Kind == store.ProblemKilled
}
