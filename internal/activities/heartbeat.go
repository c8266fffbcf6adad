package activities

import (
	"context"
	"errors"
)

// ErrPending is returned by the code of an activity that has given out its completion token (Info.CompletionToken). The
// attempt ends, nothing of it stays in memory, and the holder of the token completes the activity later.
var ErrPending = errors.New("activity pending: it will be completed by its token")

// Pulse records a heartbeat of an attempt for the host. details are JSON; nil for none. It returns a *StoppedError after
// the activity was asked to stop.
type Pulse func(ctx context.Context, details []byte) error

type pulseKey struct{}

// WithPulse returns a context whose heartbeats go to pulse.
func WithPulse(ctx context.Context, pulse Pulse) context.Context {
	return context.WithValue(ctx, pulseKey{}, pulse)
}

// Beat sends a heartbeat of the attempt that ctx belongs to, with details for the next attempt (JSON; nil keeps the
// previous details). If the attempt's context was cancelled, Beat returns the cause: a *StoppedError if the activity was
// asked to stop. It does nothing in an attempt that records no heartbeats, such as an inline one, or outside of an
// attempt.
func Beat(ctx context.Context, details []byte) error {
	if pulse, ok := ctx.Value(pulseKey{}).(Pulse); ok && ctx.Err() == nil {
		return pulse(ctx, details)
	}
	return context.Cause(ctx)
}

// StoppedError is the cause with which an attempt's context is cancelled when the orchestration no longer needs the
// activity: the activity or its scope was cancelled, another branch of a select won, or the orchestration has ended.
type StoppedError struct {
	// Reason is the reason that the orchestration gave; may be empty.
	Reason string
}

func (e *StoppedError) Error() string {
	if e.Reason == "" {
		return "the activity was asked to stop"
	}
	return "the activity was asked to stop: " + e.Reason
}

// Is makes it a context.Canceled, which the attempt's code expects.
func (e *StoppedError) Is(target error) bool { return target == context.Canceled }
