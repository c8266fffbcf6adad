package worker

import (
	"context"
	"errors"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
)

// An attempt needs a permit of each limit over instances that its activity has. That of a
// Limit comes first (line.go), because it is given back; that of a Rate last (rate.go).

// An attempt that cannot wait in a line asks again after firstAsk, then after twice as
// long each time, at most longestAsk. Jitter takes up to half of that, so that those who
// wait do not come together.
const firstAsk, longestAsk = time.Second, 20 * time.Second

// delayedForLimit counts attempts that wait for a permit.
const delayedForLimit = "limit"

// permits takes those that the attempt needs. Without one of them it gives back the
// others and returns what is sent in place of the attempt, or errInLine.
func (w *Worker) permits(ctx context.Context, t *task, p *prepared) (instead *answer, err error) {
	r := t.item.Retry
	if !limited(r) {
		return nil, nil
	}
	p.asked = w.Clock.Now()
	if r.Limit > 0 {
		if instead, err := w.takePermit(ctx, t, p); instead != nil || err != nil {
			w.givePermits(ctx, t, p)
			return instead, err
		}
	}
	if r.Rate > 0 {
		if got, free, err := w.passRate(ctx, r.RateKey, r.Rate, time.Duration(r.RateMS)*time.Millisecond); err != nil || !got {
			w.givePermits(ctx, t, p)
			if instead, err = w.withoutPermit(t, err, free); err == nil {
				w.waitsForRate(ctx, t, instead.due)
			}
			return instead, err
		}
		w.passedRate(ctx, t)
	}
	return nil, nil
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

// mayBegin is how much time may pass between asking for a permit and the first line of the
// code. A longer wait is taken from the attempt's time, because another attempt may have its
// permit VisibilityMargin after that time is over.
const mayBegin = 5 * time.Second

// errPermitOver says that an attempt was not begun because nothing is left of the time of its permit.
var errPermitOver = errors.New("worker: the attempt was not begun: its process stood still for so long that its permit may be another's")

// shorten takes from the attempt's time what it has waited with its permits. It reports
// whether anything is left.
func (p *prepared) shorten(now time.Time) bool {
	if p.asked.IsZero() {
		return true
	}
	late := now.Sub(p.asked) - mayBegin
	if late > 0 {
		p.Limit.Timeout -= late
	}
	return late <= 0 || p.Limit.Timeout > 0
}

// limited reports whether a policy has a limit over instances.
func limited(r *history.Retry) bool { return r != nil && (r.Limit > 0 || r.Rate > 0) }
