package deciding

import (
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/host/reading"
	"github.com/turnstile-go/turnstile/store"
)

// starting handles the starts of an instance that exists, or existed.
type starting struct{ *Known }

// restart starts the next execution of an ended instance, if the start m requests a restart. The
// plan is empty if it does not. Parents that waited for the previous execution have been
// notified of its end and are not notified again. The next execution has a new number, so that a
// late completion for an earlier execution does not reach it.
//
// An event or a cancel names no execution. If the previous execution has accepted such a message
// and it is redelivered during the next execution, the next execution would apply it too. So a
// start does not restart the instance while its batch has messages before it: the start and all
// later messages are left for the turn after those are acknowledged.
//
// For the same reason a start that finds the instance running is acknowledged before the messages
// after it are handled. Otherwise, if those messages ended the instance and the process died, the
// redelivered start would create the next execution, and the next execution would apply those
// messages again. A redelivered start whose events the execution has accepted has no effect.
//
// Before the start has any effect, its visibility timeout in the queue is extended once more. A
// duplicate invocation may have found the instance running and acknowledged the start; then no
// redelivery would send what this process commits.
//
// A start that has already started the instance is a repeat and has no effect. The same is true of
// a start that the ended execution has used.
func (s starting) restart(m *inbox.Message) (p Plan, err error) {
	x := s.Running.X
	if !restarts(m) || m.State != inbox.Unsettled || s.Running.Creating() || x != nil && !x.Ended() {
		return p, nil
	}
	if err := s.described(); err != nil {
		return p, err
	}
	if x != nil && s.used(m) {
		return p, nil
	}
	r := s.View.Record
	if x != nil && (r == nil || r.Purged || !r.Status.Terminal() || r.ExecutionID != s.Running.Execution) {
		return p, fmt.Errorf("host: the record of instance %q changed from execution %d before a start could restart it: %w",
			s.View.Instance, s.Running.Execution, store.ErrConflict)
	}
	switch {
	case r == nil || r.Purged || !r.Status.Terminal(), r.Name != m.Item.Name, r.KnowsStart(m.Item.ID):
		return p, nil
	case m.Item.Parent != nil && m.Item.Parent.Instance == s.View.Instance:
		return p, nil // The instance would wait for itself.
	}
	if s.Group.All[0] != m {
		p.Over = true
		return p, nil
	}
	if m.Item.OnConflict.Redrives() {
		return s.redrive(m, r)
	}
	p.Next = &Next{Again: r.Next(m.Item.ID), By: m}
	return p, nil
}

// overtaken settles messages that precede a start in the batch, if the previous execution has
// accepted them and that start has restarted the instance since they were received. Another process
// has the same batch, and otherwise both executions would apply them.
func (s starting) overtaken() (p Plan, err error) {
	id := s.Running.Started().Start.StartID
	at := slices.IndexFunc(s.Group.All, func(m *inbox.Message) bool {
		return restarts(m) && m.Item.ID == id && !m.Returning() && s.stands(m)
	})
	for n := s.View.Before(s.Running.Execution); n > 0 && at > 0 && len(inbox.Left(s.Group.All[:at])) > 0; n = s.View.Before(n) {
		turns, err := s.View.Turns(n)
		if _, unread := errors.AsType[*reading.Unread](err); unread {
			return p, err
		}
		if len(turns) == 0 {
			return p, nil // It was purged or cannot be read.
		}
		events := reading.EventsOf(turns)
		if start := events[0].Start; start == nil || start.StartID == id {
			continue // This execution has continued as new.
		}
		for _, m := range inbox.Left(s.Group.All[:at]) {
			if m.Item.ID != "" && slices.ContainsFunc(events, func(e history.Event) bool {
				return e.SenderID == m.Item.ID || e.Start != nil && slices.Contains(e.Start.SenderIDs, m.Item.ID)
			}) {
				p.add(settle(m, "duplicate"))
			}
		}
		return p, nil
	}
	return p, nil
}

// used reports whether the execution has already accepted the parent or the events of a start that
// found the instance running.
func (s starting) used(start *inbox.Message) bool {
	return slices.ContainsFunc(s.withBrought([]*inbox.Message{start}), func(m *inbox.Message) bool { return s.verdict(m).Kind == engine.Duplicate })
}
