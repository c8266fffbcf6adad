package memory

import (
	"bytes"
	"cmp"
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

// change calls f with an item, and stores what f changes with the expiry unless f returns false.
func (a *Activities) change(ctx context.Context, key store.ActivityKey, expiresAt time.Time, f func(*store.ActivityState) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	it := a.find(key)
	if f(&it.state) {
		it.expiresAt = expiresAt
		a.items[key] = it
	}
	return nil
}

// RequestStop implements store.Activities. Of several requests the first reason is kept.
func (a *Activities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	return a.change(ctx, key, expiresAt, func(s *store.ActivityState) bool {
		if !s.Stop {
			s.Stop, s.StopReason = true, reason
		}
		return true
	})
}

// State implements store.Activities.
func (a *Activities) State(ctx context.Context, key store.ActivityKey) (state store.ActivityState, err error) {
	err = a.change(ctx, key, time.Time{}, func(s *store.ActivityState) bool {
		state = copied(s)
		return false
	})
	return state, err
}

// Heartbeat implements store.Activities.
func (a *Activities) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (state store.ActivityState, err error) {
	err = a.change(ctx, key, expiresAt, func(s *store.ActivityState) bool {
		counts := beat.Attempt >= s.Beat.Attempt
		if counts {
			if beat.Details != nil {
				s.Beat.Details, s.Beat.Codec = bytes.Clone(beat.Details), beat.Codec
			}
			s.Beat.Attempt, s.Beat.At = beat.Attempt, stored(beat.At)
		}
		state = copied(s)
		return counts
	})
	return state, err
}

// Claim implements store.Activities.
func (a *Activities) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) (refused error) {
	err := a.change(ctx, key, expiresAt, func(s *store.ActivityState) bool {
		if found := s.Claim; found.Attempt > claim.Attempt || found.Attempt == claim.Attempt && found.Token != claim.Token {
			refused = &store.ClaimedError{Key: key, Found: found}
			return false
		}
		s.Claim = claim
		s.Claim.Until = stored(claim.Until)
		return true
	})
	return cmp.Or(err, refused)
}

// SetSuspect implements store.Activities.
func (a *Activities) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	return a.change(ctx, key, expiresAt, func(s *store.ActivityState) bool {
		if s.Suspect = suspect; !suspect.Until.IsZero() {
			s.Suspect.Until = stored(suspect.Until)
		}
		return true
	})
}

// NoteNext implements store.Activities.
func (a *Activities) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	return a.change(ctx, key, expiresAt, func(s *store.ActivityState) bool {
		for _, t := range []*time.Time{&next.DueAt, &next.NotedAt, &next.StartedAt} {
			*t = stored(*t)
		}
		return s.Note(next)
	})
}

// stored returns a time as DynamoDB keeps it.
func stored(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// copied returns a copy of a state that shares no memory with it.
func copied(of *store.ActivityState) store.ActivityState {
	s := *of
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
