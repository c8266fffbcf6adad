package world

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/store"
)

// simStops is the activities table, as a process sees it.
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
		s.p.noteReceived(func() string { return stateText(&state) })
		return err
	})
	if err != nil && s.p.Running != nil {
		s.p.Running.StopsFailed = true
	}
	if err == nil && s.p.Running != nil {
		// A running attempt reads with its own context.
		_, runs := activities.InfoFrom(ctx)
		s.p.W.Watch.Notified(s.p, key, &state, runs)
	}
	return state, err
}

func (s simStops) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (state store.ActivityState, err error) {
	err = s.p.call(stopsWrite, func() string { return fmt.Sprintf("gives a heartbeat of activity %v: attempt %d", key, beat.Attempt) }, func() error {
		s.p.W.Watch.Beats(s.p, key, beat)
		state, err = s.Activities.Heartbeat(ctx, key, beat, expiresAt)
		s.p.noteReceived(func() string { return stateText(&state) })
		return err
	})
	if err != nil {
		state = store.ActivityState{}
	}
	s.p.W.Watch.Notified(s.p, key, &state, true)
	return state, err
}

func (s simStops) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	return s.p.call(writeClass, func() string {
		return fmt.Sprintf("marks activity %v: attempt %d, %d deaths", key, suspect.Attempt, suspect.Deaths)
	}, func() error {
		return s.Activities.SetSuspect(ctx, key, suspect, expiresAt)
	})
}

func (s simStops) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	return s.p.call(stopsWrite, func() string { return fmt.Sprintf("notes attempt %d of activity %v", next.Attempt, key) }, func() error {
		err := s.Activities.NoteNext(ctx, key, next, expiresAt)
		if err == nil {
			s.p.W.retriesNow(key, next)
		}
		return err
	})
}

func (s simStops) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	switch kind, of, _ := strings.Cut(key.Instance, "\t"); {
	case kind == "limit" && of != "":
		return s.changeLimit(ctx, of, key, claim, expiresAt)
	}
	return s.p.call(stopsWrite, func() string { return fmt.Sprintf("claims of activity %v: attempt %d", key, claim.Attempt) }, func() error {
		err := s.Activities.Claim(ctx, key, claim, expiresAt)
		if err == nil {
			s.p.W.Ledger.Outside.Claims[key] = claim
			s.p.W.bars(key, &claim)
		}
		return err
	})
}

// bars records the message of an attempt that must not start from now on.
func (w *World) bars(key store.ActivityKey, claim *store.Claim) {
	due, early := activities.EarlyDue(claim.Token)
	m := ledger.Barred{ActivityKey: key, Attempt: claim.Attempt, DueMS: due.UnixMilli()}
	if _, known := w.Ledger.Outside.Barred[m]; early && !known {
		w.Ledger.Outside.Barred[m] = w.Steps
	}
}

// changeLimit writes the new state of a limit or of a rate.
func (s simStops) changeLimit(ctx context.Context, of string, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	asked, in := s.p.W.Clock.Now(), s.p.Running
	s.p.W.Watch.ChangesLimit(s.p, of, claim)
	err := s.p.call(stopsWrite, func() string { return fmt.Sprintf("changes limit %q: %d %s", of, claim.Attempt, claim.Token) }, func() error {
		before, err := s.Activities.State(ctx, key)
		if err == nil {
			err = s.Activities.Claim(ctx, key, claim, expiresAt)
		}
		if err == nil {
			s.p.W.Watch.LimitChanged(s.p, in, of, before.Claim, claim, asked)
		}
		return err
	})
	if err == nil {
		s.p.W.Watch.NotifiedOfLimit(s.p, of, claim)
	} else if _, refused := errors.AsType[*store.ClaimedError](err); !refused && in != nil {
		in.StopsFailed = true
	}
	return err
}

// ActivityState returns the stored state of an activity.
func (w *World) ActivityState(key store.ActivityKey) (store.ActivityState, error) {
	return w.stops.State(context.Background(), key)
}
