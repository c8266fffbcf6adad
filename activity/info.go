package activity

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
	// Inline is set for an activity that runs inside the turn.
	Inline bool
}

type infoKey struct{}

// NewContext returns a context that carries info.
func NewContext(ctx context.Context, info Info) context.Context {
	return context.WithValue(ctx, infoKey{}, info)
}

// InfoFrom returns the info of the attempt that ctx belongs to, and whether
// ctx is that of an activity.
func InfoFrom(ctx context.Context) (Info, bool) {
	info, ok := ctx.Value(infoKey{}).(Info)
	return info, ok
}
