package client_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/limits/limitstest"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// limited returns a client over an empty activities table.
func limited(t *testing.T) (*client.Client, *memory.Activities, *clock.Virtual) {
	t.Helper()
	now := clock.NewVirtual(time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC))
	q, err := queuememory.New(queuememory.Options{Name: "orchestrator", FIFO: true, Clock: now})
	if err != nil {
		t.Fatal(err)
	}
	activities := memory.NewActivities(now.Now)
	c, err := client.New(client.Config{Queue: q, Activities: activities, Clock: now})
	if err != nil {
		t.Fatal(err)
	}
	return c, activities, now
}

func TestALimitIsSeenAndChanged(t *testing.T) {
	t.Parallel()
	c, activities, now := limited(t)
	c = c.WithActor("ada")
	if l, err := c.Limit(t.Context(), "stripe"); err != nil || l.Permits != 0 || len(l.Held) != 0 {
		t.Errorf("a limit that nobody has used: %+v, %v", l, err)
	}
	// One attempt has the permit, another waits.
	attempt := func(n int64) []limits.Who {
		return []limits.Who{{ActivityKey: store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: n}, Attempt: 3}}
	}
	limitstest.Put(t, activities, "stripe", limitstest.Limit{N: 1, Held: attempt(2), Waiting: attempt(3), Lasts: time.Minute}, now.Now())
	now.Advance(time.Second)
	if err := c.SetLimit(t.Context(), "stripe", 2); err != nil {
		t.Fatal(err)
	}
	l, err := c.Limit(t.Context(), "stripe")
	at := now.Now()
	held := client.LimitHolder{Instance: "order-7", ExecutionID: 1, EventID: 2, Attempt: 3, Since: at.Add(-time.Second), Until: at.Add(59 * time.Second)}
	waits := client.LimitWaiter{Instance: "order-7", ExecutionID: 1, EventID: 3, Attempt: 3, Since: at.Add(-time.Second), Due: at.Add(59 * time.Second)}
	if err != nil || l.Permits != 2 || l.Declared != 1 || l.Set != 2 || l.SetBy != "ada" || !l.SetAt.Equal(at) ||
		l.Taken != 1 || len(l.Held) != 1 || l.Held[0] != held || len(l.Waiting) != 1 || l.Waiting[0] != waits {
		t.Errorf("%+v, %v", l, err)
	}
	if all, err := c.Limits(t.Context()); err != nil || len(all) != 1 || all[0].Key != "stripe" {
		t.Errorf("%+v, %v", all, err)
	}
	if err := c.SetLimit(t.Context(), "stripe", 0); err != nil {
		t.Fatal(err)
	}
	if all, err := c.Limits(t.Context()); err != nil || len(all) != 1 || !all[0].Closed || all[0].Permits != 0 || all[0].Set != 0 {
		t.Errorf("a limit that was set to 0: %+v, %v", all, err)
	}
	if err := c.WithActor("bob").ResetLimit(t.Context(), "stripe"); err != nil {
		t.Fatal(err)
	}
	now.Advance(time.Minute) // The permit's time is over.
	if l, err = c.Limit(t.Context(), "stripe"); err != nil || l.Set != 0 || l.Closed || l.Permits != 1 || l.SetBy != "bob" || l.Taken+len(l.Held) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

// Code of two builds that declare other numbers for one key is seen, as long as both count.
func TestTwoNumbersOfAKeyAreSeen(t *testing.T) {
	t.Parallel()
	c, activities, now := limited(t)
	state := limits.State{}.Declares(5, 0, now.Now()).Declares(20, 0, now.Now())
	state.Version = 1
	if _, written, err := limits.Write(t.Context(), activities, "stripe", &state, now.Now(), time.Hour); err != nil || !written {
		t.Fatal(written, err)
	}
	if l, err := c.Limit(t.Context(), "stripe"); err != nil || l.Permits != 5 || l.Declared != 20 || l.Other != 5 || !l.OtherAt.Equal(now.Now()) {
		t.Errorf("%+v, %v", l, err)
	}
	now.Advance(limits.OtherTime)
	if l, err := c.Limit(t.Context(), "stripe"); err != nil || l.Permits != 20 || l.Other != 0 || !l.OtherAt.IsZero() {
		t.Errorf("a minute later: %+v, %v", l, err)
	}
	// A rate goes by each attempt's own number.
	rate := limits.OfRate("stripe")
	r := limits.State{}.Declares(5, 60_000, now.Now()).Declares(20, 1000, now.Now())
	r.Version = 1
	if _, written, err := limits.Write(t.Context(), activities, rate, &r, now.Now(), time.Hour); err != nil || !written {
		t.Fatal(written, err)
	}
	if l, err := c.Rate(t.Context(), "stripe"); err != nil || l.Permits != 20 || l.Per != 1000 || l.Other != 5 || l.OtherPer != 60_000 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestARateIsSeenAndChanged(t *testing.T) {
	t.Parallel()
	c, activities, now := limited(t)
	c = c.WithActor("ada")
	// An attempt waits, and has its turn in 20 seconds. A limit with the same key is another.
	who := limits.Who{ActivityKey: store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: 2}, Attempt: 3}
	limitstest.Put(t, activities, limits.OfRate("stripe"), limitstest.Limit{N: 100, Span: time.Second, Waiting: []limits.Who{who}, Lasts: 20 * time.Second}, now.Now())
	if err := c.SetRate(t.Context(), "stripe", 5, time.Minute); err != nil {
		t.Fatal(err)
	}
	all, err := c.Limits(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	l, waits := all[0], client.LimitWaiter{Instance: "order-7", ExecutionID: 1, EventID: 2, Attempt: 3, Since: now.Now(), Due: now.Now().Add(20 * time.Second)}
	if l.Key != "stripe" || !l.Rate || l.Permits != 5 || l.Per != 60_000 || l.Declared != 100 || l.DeclaredPer != 1000 || l.SetBy != "ada" || len(l.Waiting) != 1 || l.Waiting[0] != waits {
		t.Errorf("%+v", l)
	}
	if other, err := c.Limit(t.Context(), "stripe"); err != nil || other.Permits != 0 {
		t.Errorf("the limit with the key of a rate: %+v, %v", other, err)
	}
	if err := c.SetRate(t.Context(), "stripe", 0, 0); err != nil {
		t.Fatal(err)
	}
	now.Advance(30 * time.Second) // It should have had its turn ten seconds ago.
	if l, err := c.Rate(t.Context(), "stripe"); err != nil || !l.Closed || l.Permits != 0 || l.Per != 1000 || len(l.Waiting) != 0 {
		t.Errorf("a rate that was set to 0: %+v, %v", l, err)
	}
	if err := c.ResetRate(t.Context(), "stripe"); err != nil {
		t.Fatal(err)
	}
	if l, err := c.Rate(t.Context(), "stripe"); err != nil || l.Closed || l.Permits != 100 || l.Per != 1000 {
		t.Errorf("a rate that was reset: %+v, %v", l, err)
	}
	for argument, err := range map[string]error{
		"n": c.SetRate(t.Context(), "stripe", 101, 0), "key": c.SetRate(t.Context(), "", 1, 0), "per": c.SetRate(t.Context(), "stripe", 1, time.Microsecond),
	} {
		if bad, is := errors.AsType[*turnstile.InvalidArgumentError](err); !is || bad.Argument != argument {
			t.Errorf("%v, want a problem with %s", err, argument)
		}
	}
}

func TestAnInvalidLimitIsAnErrorOfTheCall(t *testing.T) {
	t.Parallel()
	c, _, _ := limited(t)
	for _, bad := range []struct {
		key  string
		n    int
		want string
	}{{"k", -1, "is -1; it must be from 0 to 100"}, {"k", 101, "is 101"}, {"", 1, "is empty"}, {strings.Repeat("x", 10_000), 1, "has 10000 bytes"}, {"a\tb", 1, "control character"}} {
		err := c.SetLimit(t.Context(), bad.key, bad.n)
		if _, is := errors.AsType[*turnstile.InvalidArgumentError](err); !is || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%.20q %d: %v, want %q", bad.key, bad.n, err, bad.want)
		}
	}
	q, err := queuememory.New(queuememory.Options{Name: "orchestrator", FIFO: true, Clock: clock.Wall{}})
	if err != nil {
		t.Fatal(err)
	}
	blind, err := client.New(client.Config{Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	_, one := blind.Limit(t.Context(), "k")
	_, all := blind.Limits(t.Context())
	for _, err := range []error{one, all, blind.SetLimit(t.Context(), "k", 1), blind.ResetLimit(t.Context(), "k")} {
		if !errors.Is(err, client.ErrNoActivities) {
			t.Errorf("without the activities table: %v", err)
		}
	}
}
