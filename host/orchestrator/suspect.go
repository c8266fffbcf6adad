package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/host/internal/inbox"
	"github.com/turnstile-go/turnstile/store"
)

// suspicion is what a turn knows of the message that may kill its process.
type suspicion struct {
	// marked: the record has the mark of this group's suspect, which is mark.
	marked bool
	mark   string
	// killer: the suspect found its own second mark.
	killer bool
}

// checkSuspect deals with a message that was received too often. A receive count
// alone proves nothing: throttling, conflicts and hand-backs count too. So the
// record is flagged with the message's id before the turn, and the flag is removed
// when the turn returns; a process that dies leaves it.
//
// One flag proves nothing either: the answer to its write may have been lost, and
// nothing was run. A message that finds its own flag therefore sets it a second
// time and is run once more; one that finds the second flag is the killer. A flag
// that this invocation has set itself, before a conflict, counts for nothing.
func (t *turn) checkSuspect(ctx context.Context) error {
	if t.creating || t.Record == nil || t.Record.Status.Terminal() {
		// A start is marked in the commit that records it.
		return nil
	}
	id, second := strings.CutSuffix(t.Record.Suspect, secondMark)
	if id != "" && slices.ContainsFunc(t.group.messages, func(m *inbox.Message) bool { return m.ID == id && m.Returning() }) {
		suspected := t.group.suspect != ""
		t.group.suspect = id
		switch t.mark = t.Record.Suspect; {
		case t.group.marked || !second && !suspected:
			// It is taken away when the turn has returned.
			t.marked = true
			return nil
		case second:
			// The mark goes with the commit that records the finding.
			t.killer = true
			t.Observer.Count(host.CountStuck, store.ProblemKilled, 1)
			return nil
		}
		t.mark += secondMark
	} else if t.mark = t.group.suspect; t.mark == "" {
		return nil
	}
	change := store.RecordChange{If: store.RecordCondition{Exists: true, ExecutionID: t.Record.ExecutionID, Running: true}, Suspect: &t.mark, UpdatedAt: t.Clock.Now()}
	if err := t.change(ctx, change); err != nil {
		return fmt.Errorf("host: suspect of instance %q not marked: %w", t.Instance, err)
	}
	t.marked, t.group.marked = true, true
	return nil
}

// clearSuspect removes the flag: the turn returned, so it has not killed its
// process. A killer's flag stays until its arrivals are recorded.
func (t *turn) clearSuspect(ctx context.Context, failed bool) {
	if !t.marked && (!t.killer || failed) || t.Record == nil || t.Record.Suspect == "" {
		return
	}
	none := ""
	change := store.RecordChange{If: store.RecordCondition{Suspect: &t.mark}, Suspect: &none, UpdatedAt: t.Clock.Now()}
	var err error
	for range 3 {
		// With a flag that stays, the next turn of the message would be taken for a
		// killer.
		if err = t.Store.UpdateRecord(ctx, t.Instance, change); err == nil || errors.Is(err, store.ErrConflict) {
			t.Changed(&change)
			return
		}
	}
	t.Logger.ErrorContext(ctx, "suspect's mark not removed", "instance", t.Instance, "message_id", t.group.suspect, "error", err)
}

// secondMark follows the message's id in the mark of one that found its first.
const secondMark = "#2"

// mustPark reports whether arrivals are recorded without running the code:
// those of a killer, and those that reach an instance whose turn killed its
// process and that only wake-ups try.
func (t *turn) mustPark(w wakes) bool {
	p := t.Problem()
	return t.killer || w.try == "" && !t.creating && p != nil && p.Kind == store.ProblemKilled
}
