package deciding

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// beginAgain has an instance that has ended begin its next execution, by a start that
// asks for that; it reports whether it does. What the execution before had to send was
// sent: its messages are acknowledged, or stand ahead of the start in this turn. The
// number of the next execution is a new one, so that nothing that comes late for an
// earlier execution reaches it. Those who waited for the execution before have been told
// of its end, and are told nothing more.
//
// A start by which the instance has begun before is a repeat, and begins nothing.
func (t *Turn) beginAgain(p *Plan, m *inbox.Message) (bool, error) {
	x := t.Running.X
	if !beginsAgain(m) || t.Running.Creating || x != nil && !x.Ended() {
		return false, nil
	}
	if err := t.described(); err != nil {
		return false, err
	}
	r := t.View.Record
	if x != nil && (r == nil || r.Purged || !r.Status.Terminal() || r.ExecutionID != t.Running.Execution) {
		return false, fmt.Errorf("host: the record of instance %q moved from execution %d while a start was to begin it again: %w",
			t.View.Instance, t.Running.Execution, store.ErrConflict)
	}
	switch {
	case r == nil || r.Purged || !r.Status.Terminal(), r.Name != m.Item.Name, r.KnowsStart(m.Item.ID):
		return false, nil
	case m.Item.Parent != nil && m.Item.Parent.Instance == t.View.Instance:
		return false, nil // It would wait for itself.
	}
	p.Next = &Next{Again: r.ExecutionID + 1, Returning: m.Returning()}
	return true, nil
}

// beginsAgain reports whether a message is a start that may begin an ended instance
// again. Such a start keeps its place among the messages: what stands ahead of it may be
// the end of the instance.
func beginsAgain(m *inbox.Message) bool {
	return m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict.BeginsAgain()
}
