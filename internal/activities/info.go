package activities

import (
	"context"
	"time"
)

// Info is what an attempt can learn about itself.
type Info struct {
	Name        string
	Instance    string
	ExecutionID int64
	// EventID of the ActivityScheduled.
	EventID int64
	// Attempt, from 1.
	Attempt int
	// Delivery of this attempt, from 1: above 1 when a worker died in it.
	Delivery int
	// ScheduledAt is when the orchestration scheduled the activity.
	ScheduledAt time.Time
	// IdempotencyKey is the same for all attempts and deliveries of one
	// scheduling event and different for all others.
	IdempotencyKey string
	// Deadline is when the attempt's context ends at the latest.
	Deadline time.Time
	// Heartbeat has the details of the last heartbeat that an earlier attempt
	// or delivery gave, JSON; nil if there was none.
	Heartbeat []byte
	// CompletionToken completes the activity from outside once the attempt
	// has returned ErrPending. It can't be guessed and fits into a link. Empty
	// for an inline activity.
	CompletionToken string
	// Headers that came with the orchestration's start, and the headers of the context
	// with which it scheduled the activity; nil for none. Not to be changed.
	Headers map[string]string
	// Inline is set for an activity that runs inside the turn.
	Inline bool
	// Sealed is set where a codec seals payloads: failures and log lines are not
	// sealed, so keep what payloads hold out of them.
	Sealed bool
}

type infoKey struct{}

// NewContext returns a context that carries info.
func NewContext(ctx context.Context, info Info) context.Context {
	return &infoContext{ctx, info}
}

// infoContext is a context with the info of an attempt, in one piece of memory.
type infoContext struct {
	context.Context
	info Info
}

// Value implements context.Context.
func (c *infoContext) Value(key any) any {
	if key == (infoKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// InfoFrom returns the info of the attempt that ctx belongs to, and whether ctx
// belongs to an activity.
func InfoFrom(ctx context.Context) (Info, bool) {
	c, ok := ctx.Value(infoKey{}).(*infoContext)
	if !ok {
		return Info{}, false
	}
	return c.info, true
}
