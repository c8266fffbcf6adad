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

// early chooses between the two messages of an attempt that an operator has started before it was
// due: the operator's message, which has an id, and the due message, which arrives later. If the
// answer is nil, the attempt starts for this message.
//
// The operator's message claims the attempt for itself. If it arrives so late that the due message may already have
// started the attempt, it claims the attempt for the due message. The stored claim decides, even if this process never
// receives the response. A claim never exists without its message, because a message that claimed the attempt for itself
// is acknowledged only after its answer was sent. The due message checks the claim without an extra read, because every
// attempt after the first reads the activity's state.
//
// Whichever of the two messages starts an at-most-once attempt also claims it.
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
		claim.Token = found.Token // The claim is already stored; keep its token.
	}
	err = w.Stops.Claim(ctx, t.key(), claim, now.Add(delivery.Retention))
	if claimed, refused := errors.AsType[*store.ClaimedError](err); refused {
		claim = claimed.Found
	} else if err != nil {
		return nil, fmt.Errorf("could not claim the attempt: %w", err)
	}
	if claim.Attempt == item.Attempt && activities.IsClaimOf(claim.Token, item.ID) {
		return nil, nil
	}
	return &answer{outcome: "superseded"}, nil
}
