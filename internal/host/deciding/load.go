package deciding

import (
	"slices"

	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// The messages that have come for an instance decide what must be read of it first.

// ByWhatIsStored reports whether messages are to be judged by what is stored, and not by
// what is in the cache: one that comes back, one that is settled without a commit that
// would show a stale cache (a wake, a terminate, a purge, a parent's cancel), and one whose
// commit changes a mark of the record (a suspend, a resume).
func ByWhatIsStored(open []*inbox.Message) bool {
	return slices.ContainsFunc(open, func(m *inbox.Message) bool {
		return m.Returning() || !m.Records() || m.Suspends() || m.Item.Kind == wire.CancelInstance && m.Item.Parent != nil
	})
}

// CommonExecution returns the execution that all messages are completions for,
// 0 if there is none.
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

// Ahead reports whether a completion among the messages shows that what is known of an
// execution, up to its last event, is stale: it is for a later execution, or for an event
// after that one.
func Ahead(open []*inbox.Message, execution, last int64) (later, behind bool) {
	for _, m := range open {
		later = later || m.Completion() && m.Item.TargetExecution() > execution
		behind = behind || m.Completion() && m.Item.TargetExecution() == execution && m.Item.SourceEventID > last
	}
	return later, behind
}

// Standing is what a record says that a turn goes on with.
type Standing uint8

const (
	// NoExecution: there is none, or nothing can come of the one that there was.
	NoExecution Standing = iota
	// Begins: a start among the messages begins one.
	Begins
	// Runs: an execution that runs; its history must be read.
	Runs
)

// Stands returns the execution that the turn goes on with, according to the record.
func (t *Turn) Stands(open []*inbox.Message) (execution int64, s Standing) {
	r := t.View.Record
	if r != nil && !r.Purged {
		if r.Status.Terminal() && !slices.ContainsFunc(open, func(m *inbox.Message) bool {
			// The end may not have been sent (sendAgain).
			return m.Returning() || m.Item.Kind == wire.Wake || redrives(m) || !r.EndedAt.Before(earliest(m))
		}) {
			return 0, NoExecution
		}
		return r.ExecutionID, Runs
	}
	if NewStart(r, open) == nil || t.held() {
		return 0, NoExecution
	}
	if r != nil {
		// What is derived from a number is never the same again.
		return r.ExecutionID + 1, Begins
	}
	return 1, Begins
}

// OnlyHides reports whether nothing is to be done but to hide what has ended: that needs
// no key of its history.
func (t *Turn) OnlyHides() bool {
	return t.View.Record.Status.Terminal() && t.Group.onlyHides()
}
