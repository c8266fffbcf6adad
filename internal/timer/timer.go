package timer

import (
	"context"
	"errors"
	"time"
)

// Timer delivers a message at a given time. Its implementations are packages scheduler
// (EventBridge Scheduler) and memory; package timertest is the suite that both pass.
type Timer interface {
	// Schedule creates a one-time schedule that sends Body to the orchestrator queue.
	// If the name already exists, the call succeeds. Due times are rounded up to the
	// service's precision. A message whose time is in the past is delivered immediately
	// or refused with ErrPast, never lost. The error wraps ErrUnavailable after
	// throttling and temporary faults.
	Schedule(ctx context.Context, s Schedule) error
	// Cancel removes a schedule. It succeeds if there is none.
	Cancel(ctx context.Context, name string) error
}

// Schedule is one future delivery.
type Schedule struct {
	// Name, 1 to 64 characters of letters, digits, '-', '_' and '.'.
	Name string
	// Due is when to deliver.
	Due time.Time
	// Body of the message: a work item.
	Body string
	// Group is the message group of the message.
	Group string
}

var (
	// ErrUnavailable means throttling or a temporary fault.
	ErrUnavailable = errors.New("timer: unavailable, try again")
	// ErrPast means that the due time has passed; send the message to the queue instead.
	ErrPast = errors.New("timer: due time is in the past")
)
