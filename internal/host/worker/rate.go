package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/store"
)

// A rate has as many permits as attempts may begin within its span, each of them an item
// of the activities table. To take a permit is to claim the item with the next number, on
// the condition that it is not claimed. A permit of a rate is never given back: it is free
// again when its span is over, so that no span of that length has more beginnings than
// there are permits.

// ratePrefix is the first part of the keys of permits. A control character is in no
// instance id.
const ratePrefix = "rate\t"

// passRate takes one of n permits of a rate, beginning anywhere among them so that
// attempts do not meet at the first. If none is free it returns when the first will be.
func (w *Worker) passRate(ctx context.Context, key string, n int, span time.Duration) (got bool, free time.Time, err error) {
	share, err := w.random.Share()
	if err != nil {
		return false, free, err
	}
	token, err := w.random.Hex()
	if err != nil {
		return false, free, err
	}
	first := int(share * float64(n))
	for i := range n {
		item := store.ActivityKey{Instance: ratePrefix + key, EventID: int64((first + i) % n)}
		state, err := w.Stops.State(ctx, item)
		if err != nil {
			return false, free, fmt.Errorf("permit of rate %q not looked at: %w", key, err)
		}
		found, now := state.Claim, w.Clock.Now()
		if !found.Until.After(now) {
			claim := store.Claim{Attempt: found.Attempt + 1, Token: token, Until: now.Add(span)}
			err := w.Stops.Claim(ctx, item, claim, claim.Until.Add(delivery.Retention))
			taken, refused := errors.AsType[*store.ClaimedError](err)
			if !refused && err != nil {
				return false, free, fmt.Errorf("permit of rate %q not taken: %w", key, err)
			}
			if !refused {
				return true, free, nil
			}
			found = taken.Found
		}
		if free.IsZero() || found.Until.Before(free) {
			free = found.Until
		}
	}
	return false, free, nil
}
