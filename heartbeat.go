package turnstile

import (
	"context"

	"github.com/turnstile-go/turnstile/internal/activities"
)

// StoppedError is the cause ([context.Cause]) for which the context of an
// activity ends when the orchestration no longer wants it: it was cancelled,
// its scope was, another branch of a [Select] won, or the orchestration ended.
// It is a [context.Canceled]:
//
//	type StoppedError struct {
//		// Reason that the orchestration gave; may be empty.
//		Reason string
//	}
type StoppedError = activities.StoppedError

// Heartbeat says from inside an activity that the attempt is alive, with
// details of how far it is: the next attempt can read them with [LastHeartbeat].
// It returns the cause for which the attempt's context has ended, if it has: a
// [*StoppedError] when the activity is to stop, and nil as long as it is to go
// on. It may be called as often as one likes: at most one each ten seconds (a
// setting of the worker), or each third of the [HeartbeatTimeout], is recorded;
// that costs one write, and is when a request to stop is seen.
//
// If the details have no JSON form, the error is an [*EncodeError], if they are too
// large, a [*PayloadTooLargeError]. Inline runs record nothing.
func Heartbeat[T any](ctx context.Context, details T) error {
	data, err := encode(details, "details of a heartbeat of activity", ActivityInfo(ctx).Name)
	if err != nil {
		return err
	}
	return activities.Beat(ctx, data)
}

// LastHeartbeat returns the details that an earlier attempt of the activity,
// or an earlier delivery of this one, gave with its last recorded [Heartbeat],
// and whether there are any. Details that T cannot take are a [*DecodeError].
func LastHeartbeat[T any](ctx context.Context) (details T, found bool, err error) {
	info := ActivityInfo(ctx)
	if info.Heartbeat == nil {
		return details, false, nil
	}
	details, err = decode[T](info.Heartbeat, "details of the last heartbeat of activity", info.Name, info.Sealed)
	return details, err == nil, err
}
