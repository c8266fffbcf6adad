package activities

import (
	"context"
	"time"
)

// Info describes an attempt to its code.
type Info struct {
	Name        string
	Instance    string
	ExecutionID int64
	// EventID is the id of its ActivityScheduled event.
	EventID int64
	// Number is the number of the attempt, from 1.
	Number int
	// Delivery is the number of this delivery of the attempt, from 1. It is above 1 if the message was received before,
	// for example by a worker that died.
	Delivery int
	// ScheduledAt is when the orchestration scheduled the activity.
	ScheduledAt time.Time
	// IdempotencyKey is the same for all attempts and deliveries of one
	// scheduling event and different for all others.
	IdempotencyKey string
	// Deadline is when the attempt's context is cancelled at the latest.
	Deadline time.Time
	// Heartbeat holds the details of the last heartbeat of an earlier attempt or delivery, as JSON; nil if there was
	// none.
	Heartbeat []byte
	// CompletionToken completes the activity from outside after the attempt has returned ErrPending. It cannot be
	// guessed and is safe in a URL. Empty for an inline activity.
	CompletionToken string
	// Headers are the headers of the orchestration's start and of the context that scheduled the activity; nil for none.
	// Do not modify.
	Headers map[string]string
	// Inline is set for an activity that runs inside a turn.
	Inline bool
	// Encoded is set if a codec encodes payloads. Failures and log lines are not encoded, so keep the content of
	// payloads out of them.
	Encoded bool
}

type infoKey struct{}

// NewContext returns a context that carries info.
func NewContext(ctx context.Context, info Info) context.Context {
	return &infoContext{ctx, info}
}

// infoContext is a context with the info of an attempt, in one allocation.
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

// InfoFrom returns the info of the attempt that ctx belongs to; false if ctx does not belong to an activity.
func InfoFrom(ctx context.Context) (Info, bool) {
	c, ok := ctx.Value(infoKey{}).(*infoContext)
	if !ok {
		return Info{}, false
	}
	return c.info, true
}
