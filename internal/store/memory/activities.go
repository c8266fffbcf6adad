package memory

import (
	"bytes"
	"context"
	"slices"
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
	state     store.ActivityState
	expiresAt time.Time
}

// NewActivities returns an empty store whose items expire by the clock now.
func NewActivities(now func() time.Time) *Activities {
	return &Activities{now: now, items: make(map[store.ActivityKey]activity)}
}

// RequestStop implements store.Activities. Of several requests the first reason is kept.
func (a *Activities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	if !it.state.Stop {
		it.state.Stop, it.state.StopReason = true, reason
	}
	it.expiresAt = expiresAt
	a.items[key] = it
	return nil
}

// State implements store.Activities.
func (a *Activities) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	if err := ctx.Err(); err != nil {
		return store.ActivityState{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.find(key).copied(), nil
}

// Heartbeat implements store.Activities.
func (a *Activities) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (store.ActivityState, error) {
	if err := ctx.Err(); err != nil {
		return store.ActivityState{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	last := &it.state.Beat
	if beat.Attempt < last.Attempt {
		return it.copied(), nil
	}
	if beat.Details != nil {
		last.Details, last.Codec = bytes.Clone(beat.Details), beat.Codec
	}
	last.Attempt, last.At = beat.Attempt, beat.At.UTC().Truncate(time.Millisecond)
	it.expiresAt = expiresAt
	a.items[key] = it
	return it.copied(), nil
}

// Claim implements store.Activities.
func (a *Activities) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	if found := it.state.Claim; found.Attempt > claim.Attempt || found.Attempt == claim.Attempt && found.Token != claim.Token {
		return &store.ClaimedError{Key: key, Found: found}
	}
	it.state.Claim = claim
	it.state.Claim.Until = claim.Until.UTC().Truncate(time.Millisecond)
	it.expiresAt = expiresAt
	a.items[key] = it
	return nil
}

// SetSuspect implements store.Activities.
func (a *Activities) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	it.state.Suspect = suspect
	if !suspect.Until.IsZero() {
		it.state.Suspect.Until = suspect.Until.UTC().Truncate(time.Millisecond)
	}
	it.expiresAt = expiresAt
	a.items[key] = it
	return nil
}

// NoteNext implements store.Activities.
func (a *Activities) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	for _, t := range []*time.Time{&next.DueAt, &next.NotedAt, &next.StartedAt} {
		*t = t.UTC().Truncate(time.Millisecond)
	}
	if !it.state.Note(next) {
		return nil
	}
	it.expiresAt = expiresAt
	a.items[key] = it
	return nil
}

// copied returns a copy of the state that shares no memory with the item.
func (it activity) copied() store.ActivityState {
	s := it.state
	s.Beat.Details = bytes.Clone(s.Beat.Details)
	s.Earlier = slices.Clone(s.Earlier)
	return s
}

// find returns the item; the zero item if there is none or it has expired. The caller holds the lock.
func (a *Activities) find(key store.ActivityKey) activity {
	it, ok := a.items[key]
	if ok && !it.expiresAt.After(a.now()) {
		delete(a.items, key)
		return activity{}
	}
	return it
}
