package timer

import (
	"context"
	"errors"
	"time"
)

// Timer delivers a message at a time: EventBridge Scheduler, or memory.
// Its implementations are in internal/timer: scheduler, memory, and timertest, the suite that
// both pass.
type Timer interface {
	// Schedule creates a one-time schedule that sends Body to the orchestrator
	// queue. A name that exists already counts as success. Due times are
	// rounded up to the service's precision; a time that is already past is
	// delivered at once or refused with ErrPast, never lost.
	// ErrUnavailable (wrapped) for throttling and passing faults.
	Schedule(ctx context.Context, s Schedule) error
	// Cancel removes a schedule; a missing schedule counts as success.
	Cancel(ctx context.Context, name string) error
}

// Schedule is one delivery to come.
type Schedule struct {
	// Name, 1 to 64 characters of letters, digits, '-', '_' and '.'.
	Name string
	// Due is when to deliver.
	Due time.Time
	// Body of the message: a work item.
	Body string
	// Group is the message group that the message is sent under.
	Group string
}

var (
	// ErrUnavailable: throttled or a passing fault.
	ErrUnavailable = errors.New("timer: unavailable, try again")
	// ErrPast: the due time has passed; deliver the message by queue.
	ErrPast = errors.New("timer: due time is in the past")
)
