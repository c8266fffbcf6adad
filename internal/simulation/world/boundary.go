package world

import (
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/store"
)

// The boundary of a process: every call that leaves the process passes through here.

var (
	readClass       = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnavailable, faults: fault.Reads}
	writeClass      = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: fault.Writes}
	commitClass     = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, conflict: store.ErrConflict, faults: fault.Commits}
	reportingWrite  = &class{of: theStore, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: fault.ReportingWrites}
	reportingCommit = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, conflict: store.ErrConflict, faults: fault.ReportingCommits}
	repeatedCommit  = &class{of: theStore, commits: true, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: fault.Repeats}
	stopsRead       = &class{of: theActivities, unavailable: store.ErrUnavailable, unknown: store.ErrUnavailable, faults: fault.Reads}
	stopsWrite      = &class{of: theActivities, unavailable: store.ErrUnavailable, unknown: store.ErrUnknownOutcome, faults: fault.Writes}
	busClass        = &class{of: theBus, unavailable: errBus, unknown: errBus, faults: fault.Writes}
	queueClass      = &class{of: theQueues, unavailable: queue.ErrUnavailable, unknown: queue.ErrUnavailable, faults: fault.Writes}
	timerClass      = &class{of: theTimerService, unavailable: timer.ErrUnavailable, unknown: timer.ErrUnavailable, faults: fault.Writes}
)
