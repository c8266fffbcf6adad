package deciding

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/inbox"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// tooLarge fails an instance whose turn cannot be committed atomically although each part of it is
// allowed. A further run would give the same turn, so failing the instance prevents a redelivery
// loop; other instances of the batch continue.
func (t *Turn) tooLarge(p *Plan) error {
	open := t.open()
	if t.Group.TooLarge == nil || len(open) == 0 {
		return nil
	}
	if !t.passed.forced && t.Running.X != nil && t.Running.X.Ended() {
		return nil // It has failed, and the messages of its end may not have been sent (sendAgain).
	}
	switch {
	case t.passed.refused != nil:
		for _, m := range open {
			p.deadLetter(m, wire.ReasonTooLarge, fmt.Sprintf("no turn can hold it: %v", t.passed.refused))
		}
		return nil
	case t.passed.forced:
		if err := t.proceed(p); err != nil || !p.empty() {
			return err
		}
		for _, m := range open {
			p.settle(m, "too_large")
		}
		return nil
	}
	if start := NewStart(t.View.Record, open); t.Running.Creating && forks(start) && start.Item.Parent == nil {
		return t.refuseRedrive(p, start, wire.ReasonTooLarge, t.Group.TooLarge)
	}
	t.passed.forced = true
	t.round = &round{then: (*Turn).forceEnd, end: &forced{why: history.ForcedByLimit, failure: history.Failure{
		Kind: history.FailureTooLarge, Message: t.Group.TooLarge.Error()}}}
	if t.Running.Creating {
		t.round.pending, t.round.then = []*inbox.Message{NewStart(t.View.Record, open)}, (*Turn).recordedAhead
		t.run(p, true)
		p.Run.Arrivals[0].With = nil
		return nil
	}
	return t.proceed(p)
}

// noTurnHolds records that not even the failure of the instance can be committed; it returns any
// other error.
func (t *Turn) noTurnHolds(err error) error {
	still, is := errors.AsType[*store.TooLargeError](err)
	if !is || !t.passed.forced || t.passed.refused != nil {
		return err
	}
	t.passed.refused, t.round = still, nil
	return nil
}
