package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/store"
)

// ClosesLimits lets an operator close limits of these keys at times and reopen them minutes
// later, in a run with many attempts under them.
func (w *World) ClosesLimits(keys ...string) {
	if !w.has(limited) {
		return
	}
	for _, key := range keys {
		at := w.Choices.At(w.Choices.At(choice.OfWorld, "closes"), key)
		if !w.Choices.OneIn(at, 3) {
			continue
		}
		closed := time.Duration(w.Choices.IntN(at, 300)) * time.Second
		open := closed + time.Duration(1+w.Choices.IntN(at, 600))*time.Second
		w.Clock.AfterFunc(closed, func() { w.setLimit(key, limits.Closed) })
		w.Clock.AfterFunc(open, func() { w.setLimit(key, 0) })
	}
}

// SetsRates lets an operator change rates of these keys at times and restore the numbers of
// the code minutes later, in a run with many attempts under them.
func (w *World) SetsRates(keys ...string) {
	if !w.has(limited) {
		return
	}
	for _, key := range keys {
		at := w.Choices.At(w.Choices.At(choice.OfWorld, "sets rate"), key)
		if !w.Choices.OneIn(at, 2) {
			continue
		}
		after := time.Duration(0)
		for range 1 + w.Choices.IntN(at, 3) {
			n := []int{limits.Closed, 1, 1, 2, 5}[w.Choices.IntN(at, 5)]
			span := []time.Duration{0, 2 * time.Second, time.Minute}[w.Choices.IntN(at, 3)]
			after += time.Duration(w.Choices.IntN(at, 200)) * time.Second
			w.Clock.AfterFunc(after, func() { w.setRate(key, n, span) })
		}
		w.Clock.AfterFunc(after+time.Duration(1+w.Choices.IntN(at, 400))*time.Second, func() { w.setRate(key, 0, 0) })
	}
}

func (w *World) setLimit(key string, n int) {
	before, after, now := w.change(key, func(s limits.State, now time.Time) limits.State { return s.WithSet(n, "an operator", now) })
	w.Log("an operator sets limit %q to %d", key, n)
	w.Watch.LimitChanged(nil, nil, key, before, after, now)
}

func (w *World) setRate(key string, n int, span time.Duration) {
	before, after, now := w.change(limits.OfRate(key), func(s limits.State, now time.Time) limits.State { return s.WithSetRate(n, span, "an operator", now) })
	w.Log("an operator sets rate %q to %d in %s", key, n, span)
	w.Watch.LimitChanged(nil, nil, limits.OfRate(key), before, after, now)
}

// change writes an operator's change of a limit or of a rate.
func (w *World) change(name string, with func(limits.State, time.Time) limits.State) (before, after store.Claim, now time.Time) {
	ctx, now := context.Background(), w.Clock.Now()
	item, err := w.stops.State(ctx, limits.Key(name))
	if err != nil {
		panic(err) // The table is in memory.
	}
	state, err := limits.Of(name, item.Claim)
	if err != nil {
		panic(err)
	}
	next := with(state, now)
	if _, written, err := limits.Write(ctx, w.stops, name, &next, now, limits.Retention); err != nil || !written {
		panic("an operator's change of a limit was refused")
	}
	after, err = next.Claim()
	if err != nil {
		panic(err)
	}
	return item.Claim, after, now
}
