package world

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// ClosesLimits has an operator close limits of these keys at times, and open them again some
// minutes later, in a run with many attempts that have them.
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

func (w *World) setLimit(key string, n int) {
	ctx, now := context.Background(), w.Clock.Now()
	before, err := w.stops.State(ctx, limits.Key(key))
	if err != nil {
		panic(err) // The table is in memory.
	}
	state, err := limits.Of(key, before.Claim)
	if err != nil {
		panic(err)
	}
	next := state.WithSet(n, "an operator", now)
	if _, written, err := limits.Write(ctx, w.stops, key, &next, now, limits.Retention); err != nil || !written {
		panic("an operator's change of a limit was refused")
	}
	after, err := next.Claim()
	if err != nil {
		panic(err)
	}
	w.Log("an operator sets limit %q to %d", key, n)
	w.Watch.LimitChanged(nil, nil, key, before.Claim, after, now)
}
