package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/store"
)

// A limit over instances is a number of permits, each of them an item of the
// activities table. To take one is to claim its item with the next number, on the
// condition that nobody has claimed that: so whoever takes it over after its time is
// seen by whoever had it, and a late giving back changes nothing. A permit of a rate is
// never given back: it is free again when its span is over, so that no span of that
// length has more beginnings than there are permits.

// An attempt without a permit asks again after firstAsk, then after twice as long
// each time, at most longestAsk. Jitter takes up to half of that, so that those who
// wait do not come together.
const firstAsk, longestAsk = time.Second, 20 * time.Second

// delayedForLimit counts attempts that wait for a permit.
const delayedForLimit = "limit"

// The first parts of the keys of permits. A control character is in no instance id.
const limitPrefix, ratePrefix = "limit\t", "rate\t"

// permit is one that an attempt has.
type permit struct {
	key   store.ActivityKey
	claim store.Claim
}

// permits takes those that the attempt needs. Without one of them it gives back the
// others and returns what is sent in place of the attempt.
func (w *Worker) permits(ctx context.Context, t *task, p *prepared) (instead *answer, err error) {
	r := t.item.Retry
	if !limited(r) {
		return nil, nil
	}
	if r.Limit > 0 {
		// The message comes back at the earliest when the attempt's time and this
		// margin are over, and so the permit of a worker that has died is free then.
		held := p.Limit.Timeout + w.Settings.Attempt.VisibilityMargin
		// Others are given back before their time, so it does not say when to ask.
		if got, _, err := w.takePermit(ctx, p, limitPrefix+r.LimitKey, r.Limit, held, true); err != nil || !got {
			w.givePermits(ctx, t, p)
			return w.withoutPermit(t, err, time.Time{})
		}
	}
	if r.Rate > 0 {
		if got, free, err := w.takePermit(ctx, p, ratePrefix+r.RateKey, r.Rate, time.Duration(r.RateMS)*time.Millisecond, false); err != nil || !got {
			w.givePermits(ctx, t, p)
			return w.withoutPermit(t, err, free)
		}
	}
	return nil, nil
}

// takePermit takes one of n permits of a key, beginning anywhere among them so that
// attempts do not meet at the first. If none is free it returns when the first will be.
func (w *Worker) takePermit(ctx context.Context, p *prepared, key string, n int, lasts time.Duration, back bool) (got bool, free time.Time, err error) {
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
		item := store.ActivityKey{Instance: key, EventID: int64((first + i) % n)}
		state, err := w.Stops.State(ctx, item)
		if err != nil {
			return false, free, fmt.Errorf("permit of %q not looked at: %w", key, err)
		}
		found, now := state.Claim, w.Clock.Now()
		if !found.Until.After(now) {
			claim := store.Claim{Attempt: found.Attempt + 1, Token: token, Until: now.Add(lasts)}
			err := w.Stops.Claim(ctx, item, claim, claim.Until.Add(delivery.Retention))
			taken, refused := errors.AsType[*store.ClaimedError](err)
			if !refused && back {
				// Also where it is not known to stand.
				p.permits = append(p.permits, permit{item, claim})
			}
			if !refused && err != nil {
				return false, free, fmt.Errorf("permit of %q not taken: %w", key, err)
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

// withoutPermit is what is sent in place of an attempt that got no permit, to be
// due at the earliest when one is free that is not given back before.
func (w *Worker) withoutPermit(t *task, err error, free time.Time) (*answer, error) {
	if err != nil {
		return nil, err
	}
	jitter, err := w.random.Share()
	if err != nil {
		return nil, err
	}
	d, now := backoff.Grown(firstAsk, longestAsk, t.item.Hops), w.Clock.Now()
	due := now.Add(d - time.Duration(jitter*float64(d)/2))
	if free.After(due) {
		due = free.Add(time.Duration(jitter * float64(d)))
	}
	return w.again(&t.item, now, due, delayedForLimit), nil
}

// givePermits gives back what an attempt has taken. What cannot be given back is free
// when its time is over.
func (w *Worker) givePermits(ctx context.Context, t *task, p *prepared) {
	for _, held := range p.permits {
		held.claim.Until = time.Time{}
		err := w.Stops.Claim(ctx, held.key, held.claim, w.Clock.Now().Add(delivery.Retention))
		if _, later := errors.AsType[*store.ClaimedError](err); err != nil && !later {
			w.Logger.WarnContext(ctx, "permit not given back; it is free when the attempt's time is over", attrs(&t.item, "key", held.key.Instance, "error", err)...)
		}
	}
	p.permits = nil
}

// limited reports whether a policy has a limit over instances.
func limited(r *history.Retry) bool { return r != nil && (r.Limit > 0 || r.Rate > 0) }
