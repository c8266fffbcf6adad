package turnstile

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/activities"
)

// StoppedError is the cause ([context.Cause]) with which the context of an activity ends when the
// orchestration no longer needs the result: the activity or its scope was cancelled, a [Select]
// returned another operation, or the orchestration ended. It matches [context.Canceled]:
//
//	type StoppedError struct {
//		// Reason is the reason that the orchestration gave; may be empty.
//		Reason string
//	}
type StoppedError = activities.StoppedError

// Heartbeat reports from inside an activity that the attempt is alive, with details of its
// progress. The next attempt can read the details with [LastHeartbeat]. Heartbeat returns nil while
// the activity should continue. After the attempt's context has ended it returns the cause, a
// [*StoppedError] if the orchestration asked the activity to stop. It may be called at any rate:
// the worker records at most one heartbeat in ten seconds (a setting), or in a third of the
// [HeartbeatTimeout]. Recording costs one write. The worker notices a request to stop when it
// records a heartbeat.
//
// If the details cannot be encoded as JSON, the error is an [*EncodeError]; if they are too large,
// a [*PayloadTooLargeError]. In an inline activity Heartbeat records nothing.
func Heartbeat[T any](ctx context.Context, details T) error {
	data, err := encode(details, "details of a heartbeat of activity", ActivityInfo(ctx).Name)
	if err != nil {
		return err
	}
	return activities.Beat(ctx, data)
}

// LastHeartbeat returns the details of the last recorded [Heartbeat] of an earlier attempt of the
// activity, or of an earlier delivery of this attempt, and whether there are any. If T cannot
// decode the details, the error is a [*DecodeError].
func LastHeartbeat[T any](ctx context.Context) (details T, found bool, err error) {
	info := ActivityInfo(ctx)
	if info.Heartbeat == nil {
		return details, false, nil
	}
	details, err = decode[T](info.Heartbeat, "details of the last heartbeat of activity", info.Name, info.Encoded)
	return details, err == nil, err
}
