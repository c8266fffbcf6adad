package deciding

import (
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// beginAgain has an instance that has ended begin its next execution, by a start that
// asks for that; it reports whether it does, or will. Those who waited for the execution
// before have been told of its end, and are told nothing more. The number of the next one
// is new, so that no completion that comes late for an earlier execution reaches it.
//
// An event or a cancel names no execution. If one that the execution before has taken came
// back beside the next, it would count for that too. So the start begins nothing while its
// batch has messages before it: it is left, with all that follows it, for the turn after they
// are acknowledged.
//
// For the same reason a start that finds the instance running is acknowledged before what
// follows it is taken: if that ended the instance, and its process died, the start would come
// back, begin the next execution, and what followed it would count there again. A start whose
// events the execution takes begins nothing when it comes back.
//
// The start is kept once more before it begins anything. Its twin may have found the instance
// running and acknowledged the start: then no redelivery would send what this process
// commits.
//
// A start by which the instance has begun before is a repeat, and begins nothing. Neither does
// one that the execution which has ended has used.
func (t *Turn) beginAgain(p *Plan, m *inbox.Message) (bool, error) {
	x := t.Running.X
	if !beginsAgain(m) || m.State != inbox.Unsettled || t.Running.Creating || x != nil && !x.Ended() {
		return false, nil
	}
	if err := t.described(); err != nil {
		return false, err
	}
	if x != nil && t.used(m) {
		return false, nil
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
	if t.Group.All[0] != m {
		p.Over = true
		return true, nil
	}
	if m.Item.OnConflict.Redrives() {
		return t.redrive(p, m, r)
	}
	p.Next = &Next{Again: r.ExecutionID + 1, By: m}
	return true, nil
}

// overtaken settles the messages before a start by which the instance has begun since they were
// received, if the run before has taken them: another process has the same batch, and they would
// count for both runs.
func (t *Turn) overtaken(p *Plan) error {
	id := t.Running.Started().Start.StartID
	at := slices.IndexFunc(t.Group.All, func(m *inbox.Message) bool {
		return beginsAgain(m) && m.Item.ID == id && !m.Returning() && t.stands(m)
	})
	for n := t.Running.Execution - 1; n > 0 && at > 0 && len(inbox.Left(t.Group.All[:at])) > 0; n-- {
		turns, err := t.View.Turns(n)
		if _, unread := errors.AsType[*reading.Unread](err); unread {
			return err
		}
		if len(turns) == 0 {
			return nil // It was purged, or cannot be read.
		}
		events := eventsOf(turns)
		if start := events[0].Start; start == nil || start.StartID == id {
			continue // It has continued as new.
		}
		for _, m := range inbox.Left(t.Group.All[:at]) {
			if m.Item.ID != "" && slices.ContainsFunc(events, func(e history.Event) bool {
				return e.SenderID == m.Item.ID || e.Start != nil && slices.Contains(e.Start.SenderIDs, m.Item.ID)
			}) {
				p.settle(m, "duplicate")
			}
		}
		return nil
	}
	return nil
}

// beginsAgain reports whether a message is a start that may begin an ended instance again.
// Such a start keeps its place among the messages: what comes before it is for the
// execution before.
func beginsAgain(m *inbox.Message) bool {
	return m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict.BeginsNext()
}

// redrives reports whether a message is a start by which an instance that has ended goes on
// where it failed.
func redrives(m *inbox.Message) bool {
	return m.Item.Kind == wire.StartOrchestration && m.Item.OnConflict.Redrives()
}

// used reports whether the execution has taken what a start brings to an instance that runs: its
// parent, or its events.
func (t *Turn) used(start *inbox.Message) bool {
	return slices.ContainsFunc(t.withBrought([]*inbox.Message{start}), func(m *inbox.Message) bool { return t.verdict(m).Kind == engine.Duplicate })
}
