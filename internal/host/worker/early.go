package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/host/lease"
	"github.com/turnstile-go/turnstile/store"
)

// early decides between the two messages of an attempt that an operator has made before it
// was due: the operator's, which has an id, and the one that is due, which comes later. A nil
// answer lets the attempt begin.
//
// The operator's message claims the attempt, and where it comes so late that the other one may
// have begun, it claims it for that one. Whichever claim stands, it has been decided, also if
// this process never hears of it. A claim never stands without its message: who claims for
// itself is acknowledged only when what follows from the attempt was sent. The message that is
// due looks, for which it pays nothing: each attempt but the first does.
//
// An attempt that runs at most once is claimed by either message when it begins.
func (w *Worker) early(ctx context.Context, t *task, found store.Claim) (instead *answer, err error) {
	item, now := &t.item, w.Clock.Now()
	due, isEarly := activities.EarlyDue(item.ID)
	switch {
	case item.Retry != nil && item.Retry.AtMostOnce:
		return nil, nil
	case isEarly:
	case found.Attempt >= item.Attempt && activities.BarsDue(found.Token, item.SentMS):
		return &answer{outcome: "superseded"}, nil
	default:
		return nil, nil
	}
	late := !due.After(now.Add(lease.Skew))
	claim := store.Claim{Attempt: item.Attempt, Token: activities.EarlyClaim(item.ID, late, found.Token)}
	if found.Attempt == item.Attempt {
		claim.Token = found.Token // It stands, and is not made longer.
	}
	err = w.Stops.Claim(ctx, t.key(), claim, now.Add(delivery.Retention))
	if claimed, refused := errors.AsType[*store.ClaimedError](err); refused {
		claim = claimed.Found
	} else if err != nil {
		return nil, fmt.Errorf("attempt not claimed: %w", err)
	}
	if claim.Attempt == item.Attempt && activities.IsClaimOf(claim.Token, item.ID) {
		return nil, nil
	}
	return &answer{outcome: "superseded"}, nil
}
