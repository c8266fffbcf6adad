package simulation

import (
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
)

// The boundary of a process: every call that leaves it goes through here.

var (
	readClass      = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnavailable, faults: readFaults}
	writeClass     = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: writeFaults}
	commitClass    = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, conflict: store.ErrConflict, faults: commitFaults}
	tellingWrite   = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: tellingWriteFaults}
	tellingCommit  = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, conflict: store.ErrConflict, faults: tellingCommitFaults}
	repeatedCommit = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: repeatFaults}
	stopsRead      = &class{of: theActivities, unavailable: store.ErrUnavailable, unknown: store.ErrUnavailable, faults: readFaults}
	stopsWrite     = &class{of: theActivities, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: writeFaults}
	queueClass     = &class{of: theQueues, unavailable: queue.ErrUnavailable, unknown: queue.ErrUnavailable, faults: writeFaults}
	timerClass     = &class{of: theTimerService, unavailable: timer.ErrUnavailable, unknown: timer.ErrUnavailable, faults: writeFaults}
)
