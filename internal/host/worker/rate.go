package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/store"
)

// A rate has as many permits as attempts may begin within its span, each of them an item
// of the activities table. To take a permit is to claim the item with the next number, on
// the condition that it is not claimed. A permit of a rate is never given back: it is free
// again when its span is over, so that no span of that length has more beginnings than
// there are permits.
//
// What an operator has set, and who waits, stand in an item beside them (limits.OfRate).

// ratePrefix is the first part of the keys of permits. A control character is in no
// instance id.
const ratePrefix = "rate\t"

// newestRate is how long a process goes by what an operator has set without looking again.
const newestRate = 30 * time.Second

// waitsForRate notes that an attempt waits for a rate until it asks again, for people to see: at
// most limits.MaxLine. A note that is not written fails nothing.
func (w *Worker) waitsForRate(ctx context.Context, t *task, due time.Time) {
	w.Observer.Count(host.CountPermits, "rate waits", 1)
	r, limit := t.item.Retry, limits.OfRate(t.item.Retry.RateKey)
	var state limits.State
	err := w.changeLine(ctx, limit, func(s *limits.State, now time.Time) (limits.State, []limits.Who, verdict) {
		next, noted := s.AskAgain(t.who(), r.Rate, time.Duration(r.RateMS)*time.Millisecond, now, due)
		state = next
		if !noted {
			return next, nil, leave
		}
		return next, nil, write
	})
	if err != nil {
		w.Logger.DebugContext(ctx, "attempt that waits for a rate not noted", attrs(&t.item, "key", r.RateKey, "error", err)...)
		return
	}
	w.listed(ctx, t, limit, &state, w.Clock.Now())
}

// passedRate takes an attempt that a rate lets through out of those that wait, as far as this
// process knows of it. Others are gone limits.RateSilence after they were to ask.
func (w *Worker) passedRate(ctx context.Context, t *task) {
	if t.item.Hops == 0 {
		return
	}
	err := w.changeLine(ctx, limits.OfRate(t.item.Retry.RateKey), func(s *limits.State, now time.Time) (limits.State, []limits.Who, verdict) {
		if !s.Waits(t.who()) {
			return *s, nil, leave
		}
		next, _ := s.Leave(t.who(), now)
		return next, nil, write
	})
	if err != nil {
		w.Logger.DebugContext(ctx, "attempt that a rate lets through still stands among those that wait", attrs(&t.item, "key", t.item.Retry.RateKey, "error", err)...)
	}
}

// passRate takes one of n permits of a rate, or of as many as an operator has set, beginning
// anywhere among them so that attempts do not meet at the first. If none is free it returns when
// the first will be.
func (w *Worker) passRate(ctx context.Context, key string, n int, span time.Duration) (got bool, free time.Time, err error) {
	share, err := w.random.Share()
	if err != nil {
		return false, free, err
	}
	token, err := w.random.Hex()
	if err != nil {
		return false, free, err
	}
	set, err := w.lines.newest(ctx, w.Stops, limits.OfRate(key), w.Clock.Now(), newestRate)
	if err != nil {
		return false, free, err
	}
	n, span = set.Rate(n, span)
	first := int(share * float64(n))
	for i := range n {
		item := store.ActivityKey{Instance: ratePrefix + key, EventID: int64((first + i) % n)}
		state, err := w.Stops.State(ctx, item)
		if err != nil {
			return false, free, fmt.Errorf("permit of rate %q not looked at: %w", key, err)
		}
		found, now := state.Claim, w.Clock.Now()
		if !found.Until.After(now) {
			claim := store.Claim{Attempt: found.Attempt + 1, Token: token, Until: wholeMS(now.Add(span))}
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

// wholeMS rounds a time up to milliseconds, in which stores keep it: rounded down, a permit would be
// free again before its span is over.
func wholeMS(t time.Time) time.Time { return t.Add(time.Millisecond - 1).Truncate(time.Millisecond) }
