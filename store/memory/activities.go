package memory

import (
	"context"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Activities implements store.Activities.
type Activities struct {
	now   func() time.Time
	mu    sync.Mutex
	items map[store.ActivityKey]activity
}

var _ store.Activities = (*Activities)(nil)

type activity struct {
	stop       bool
	stopReason string
	expiresAt  time.Time
}

// NewActivities returns an empty store; now is the clock by which its items
// expire.
func NewActivities(now func() time.Time) *Activities {
	return &Activities{now: now, items: make(map[store.ActivityKey]activity)}
}

// RequestStop implements store.Activities. Of several requests the first
// reason stays.
func (a *Activities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	if !it.stop {
		it.stop, it.stopReason = true, reason
	}
	it.expiresAt = expiresAt
	a.items[key] = it
	return nil
}

// StopRequested implements store.Activities.
func (a *Activities) StopRequested(ctx context.Context, key store.ActivityKey) (reason string, stop bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	return it.stopReason, it.stop, nil
}

// find returns the item, the zero one if there is none or it has expired. The
// caller holds the lock.
func (a *Activities) find(key store.ActivityKey) activity {
	it, ok := a.items[key]
	if ok && !it.expiresAt.After(a.now()) {
		delete(a.items, key)
		return activity{}
	}
	return it
}
