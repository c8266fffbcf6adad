package world

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// simStops is what is known of activities, as a process sees it.
type simStops struct {
	store.Activities
	p *Process
}

func (s simStops) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	s.p.W.Watch.Stops(s.p, key, reason)
	return s.p.call(stopsWrite, func() string { return fmt.Sprintf("asks activity %v to stop: %s", key, reason) }, func() error {
		s.p.W.Ledger.Outside.Stopped[key] = true
		err := s.Activities.RequestStop(ctx, key, reason, expiresAt)
		if _, asked := s.p.W.Ledger.Outside.Reasons[key]; err == nil && !asked {
			s.p.W.Ledger.Outside.Reasons[key] = reason
		}
		return err
	})
}

func (s simStops) State(ctx context.Context, key store.ActivityKey) (state store.ActivityState, err error) {
	err = s.p.call(stopsRead, func() string { return fmt.Sprintf("looks whether activity %v is to stop", key) }, func() error {
		state, err = s.Activities.State(ctx, key)
		s.p.hears(func() string { return stateText(&state) })
		return err
	})
	if err == nil {
		s.p.W.Watch.Told(s.p, key, &state, false)
	}
	return state, err
}

func (s simStops) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (state store.ActivityState, err error) {
	err = s.p.call(stopsWrite, func() string { return fmt.Sprintf("gives a heartbeat of activity %v: attempt %d", key, beat.Attempt) }, func() error {
		s.p.W.Watch.Beats(s.p, key, beat)
		state, err = s.Activities.Heartbeat(ctx, key, beat, expiresAt)
		s.p.hears(func() string { return stateText(&state) })
		return err
	})
	if err != nil {
		state = store.ActivityState{}
	}
	s.p.W.Watch.Told(s.p, key, &state, true)
	return state, err
}

func (s simStops) MarkSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	return s.p.call(writeClass, func() string {
		return fmt.Sprintf("marks activity %v: attempt %d, %d deaths", key, suspect.Attempt, suspect.Deaths)
	}, func() error {
		return s.Activities.MarkSuspect(ctx, key, suspect, expiresAt)
	})
}

func (s simStops) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	return s.p.call(stopsWrite, func() string { return fmt.Sprintf("notes attempt %d of activity %v", next.Attempt, key) }, func() error {
		return s.Activities.NoteNext(ctx, key, next, expiresAt)
	})
}

func (s simStops) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	if kind, of, is := strings.Cut(key.Instance, "\t"); is {
		return s.claimPermit(ctx, kind, of, key, claim, expiresAt)
	}
	return s.p.call(stopsWrite, func() string { return fmt.Sprintf("claims of activity %v: attempt %d", key, claim.Attempt) }, func() error {
		err := s.Activities.Claim(ctx, key, claim, expiresAt)
		if err == nil {
			s.p.W.Ledger.Outside.Claims[key] = claim
		}
		return err
	})
}

// claimPermit takes a permit of a limit over instances, or gives it back.
func (s simStops) claimPermit(ctx context.Context, kind, of string, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	asked, verb := s.p.W.Clock.Now(), "takes"
	if claim.Until.IsZero() {
		verb = "gives back"
	}
	err := s.p.call(stopsWrite, func() string { return fmt.Sprintf("%s permit %d of the %s %q", verb, key.EventID, kind, of) },
		func() error { return s.Activities.Claim(ctx, key, claim, expiresAt) })
	if err == nil && !claim.Until.IsZero() {
		s.p.W.Watch.TookPermit(s.p, kind, of, asked)
	}
	return err
}

// ActivityState returns what is known of an activity, as it is stored.
func (w *World) ActivityState(key store.ActivityKey) (store.ActivityState, error) {
	return w.stops.State(context.Background(), key)
}
