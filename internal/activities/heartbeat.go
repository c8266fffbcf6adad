package activities

import (
	"context"
	"errors"
)

// ErrPending is what the code of an activity returns when it has handed out
// its completion token (Info.CompletionToken): the attempt ends, nothing of it
// stays in memory, and whoever has the token completes the activity later.
var ErrPending = errors.New("activity pending: it will be completed by its token")

// Pulse is the host's side of an attempt's heartbeats. details are JSON; nil
// for none. It returns a *StoppedError once the activity is asked to stop.
type Pulse func(ctx context.Context, details []byte) error

type pulseKey struct{}

// WithPulse returns a context whose heartbeats go to pulse.
func WithPulse(ctx context.Context, pulse Pulse) context.Context {
	return context.WithValue(ctx, pulseKey{}, pulse)
}

// Beat gives a sign of life of the attempt that ctx belongs to, with details
// for the next attempt (JSON; nil leaves those given before). It returns the
// cause for which the attempt's context has ended, if it has: a *StoppedError
// where the activity was asked to stop. It does nothing outside of attempts
// that take heartbeats, as inline ones.
func Beat(ctx context.Context, details []byte) error {
	if pulse, ok := ctx.Value(pulseKey{}).(Pulse); ok && ctx.Err() == nil {
		return pulse(ctx, details)
	}
	return context.Cause(ctx)
}

// StoppedError is the cause for which an attempt's context ends when the
// orchestration no longer wants the activity: it was cancelled, its scope was,
// another branch of a select won, or the orchestration has ended.
type StoppedError struct {
	// Reason that the orchestration gave; may be empty.
	Reason string
}

func (e *StoppedError) Error() string {
	if e.Reason == "" {
		return "the activity was asked to stop"
	}
	return "the activity was asked to stop: " + e.Reason
}

// Is makes it a context.Canceled, as which the attempt's code will meet it.
func (e *StoppedError) Is(target error) bool { return target == context.Canceled }
