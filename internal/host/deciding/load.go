package deciding

import (
	"slices"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// The messages for an instance determine which of its data must be read first.

// ByWhatIsStored reports whether messages must be handled from the store and not from the cache:
// redelivered messages; messages that are settled without a commit that would show that the cache
// is stale (a wake, a terminate, a purge, a parent's cancel); and messages whose commit changes a
// problem in the record (a suspend, a resume).
func ByWhatIsStored(open []*inbox.Message) bool {
	return slices.ContainsFunc(open, func(m *inbox.Message) bool {
		return m.Returning() || !m.Records() || m.Suspends() || m.Item.Kind == wire.CancelInstance && m.Item.Parent != nil
	})
}

// CommonExecution returns the execution whose operations all messages complete; 0 if there is none.
func CommonExecution(open []*inbox.Message) int64 {
	var n int64
	for _, m := range open {
		if !m.Completion() || n != 0 && n != m.Item.TargetExecution() {
			return 0
		}
		n = m.Item.TargetExecution()
	}
	return n
}

// Ahead reports whether a completion among the messages shows that the known state of an execution
// is stale. later is set if a completion is for a later execution, and behind if a completion is
// for an event after last, the last known event.
func Ahead(open []*inbox.Message, execution, last int64) (later, behind bool) {
	for _, m := range open {
		later = later || m.Completion() && m.Item.TargetExecution() > execution
		behind = behind || m.Completion() && m.Item.TargetExecution() == execution && m.Item.SourceEventID > last
	}
	return later, behind
}

// Standing is the state of the execution that a turn continues, according to the record.
type Standing uint8

const (
	// NoExecution means that no execution exists, or that the existing one has nothing left to do.
	NoExecution Standing = iota
	// Starts means that a start among the messages creates an execution.
	Starts
	// Runs means that an execution is running; its history must be read.
	Runs
)

// Stands returns the execution with which the turn continues, according to the record.
func (k *Known) Stands(open []*inbox.Message) (execution int64, s Standing) {
	r := k.View.Record
	if r != nil && !r.Purged && !forking(r) {
		if r.Status.Terminal() && !slices.ContainsFunc(open, func(m *inbox.Message) bool {
			// The messages that the end causes may not have been sent (sendAgain).
			return m.Returning() || m.Item.Kind == wire.Wake || redrives(m) || !r.EndedAt.Before(earliest(m))
		}) {
			return 0, NoExecution
		}
		return r.ExecutionID, Runs
	}
	start := NewStart(r, open)
	switch {
	case start == nil || k.held():
		return 0, NoExecution
	case r == nil:
		return 1, Starts
	}
	// A new number, because ids derive from it and must never repeat.
	return r.Next(start.Item.ID), Starts
}

// OnlyHides reports whether the turn only hides an ended instance. Such a turn needs no key to
// decode its history.
func (k *Known) OnlyHides() bool {
	return k.View.Record.Status.Terminal() && k.Group.onlyHides()
}
