// Package limitstest writes limits to the activities table, for tests of what displays them.
package limitstest

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/store"
)

// Limit is a limit, or a rate if Span is set, as code declares it and attempts use it.
type Limit struct {
	N    int
	Span time.Duration
	// Held are attempts that hold a permit and Waiting are attempts that wait, both from the time given to Put, for the
	// duration Lasts.
	Held, Waiting []limits.Who
	Lasts         time.Duration
	// Set is the number that an operator has set.
	Set int
}

// Put writes a limit of that name to a table, and adds it to the list of keys.
func Put(t testing.TB, a store.Activities, name string, l Limit, now time.Time) {
	t.Helper()
	s := limits.State{}.Declares(l.N, l.Span.Milliseconds(), now)
	s = s.With(limits.Holding{Token: "token", Want: len(l.Held), Within: l.Lasts}, now)
	if l.Set != 0 {
		s = s.WithSet(l.Set, "ada", now)
	}
	s.Version = 1
	_, written, err := limits.Write(t.Context(), a, name, &s, now, limits.Retention)
	if err == nil {
		err = limits.WriteNames(t.Context(), a, name, now, limits.Retention, func(n *limits.Names) {
			var held []limits.Named
			for _, who := range l.Held {
				held = append(held, limits.Named{Who: who, Since: now.UnixMilli()})
			}
			n.Holding("token", now.Add(l.Lasts), held)
			for _, who := range l.Waiting {
				n.Waits(limits.Waiting{Who: who, Since: now.UnixMilli(), Due: now.Add(l.Lasts).UnixMilli()})
			}
		})
	}
	if err == nil {
		err = limits.List(t.Context(), a, name, now, limits.Retention)
	}
	if err != nil || !written {
		t.Fatal(written, err)
	}
}
