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
	var s limits.State
	for n := range 2 {
		who := limits.Who{ActivityKey: store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: int64(n + 2)}, Attempt: 3}
		s, _, _ = s.Ask(who, "token", 1, now.Now(), now.Now().Add(time.Minute))
	}
	s.Version = 1
	if _, written, err := limits.Write(t.Context(), activities, "stripe", &s, now.Now(), time.Hour); err != nil || !written {
		t.Fatal(written, err)
	}
	now.Advance(time.Second)
	if err := c.SetLimit(t.Context(), "stripe", 2); err != nil {
		t.Fatal(err)
	}
	l, err := c.Limit(t.Context(), "stripe")
	at := now.Now()
	held := client.LimitHolder{Instance: "order-7", ExecutionID: 1, EventID: 2, Attempt: 3, Since: at.Add(-time.Second), Until: at.Add(59 * time.Second)}
	waits := client.LimitWaiter{Instance: "order-7", ExecutionID: 1, EventID: 3, Attempt: 3, Since: at.Add(-time.Second)}
	if err != nil || l.Permits != 2 || l.Declared != 1 || l.Set != 2 || l.SetBy != "ada" || !l.SetAt.Equal(at) ||
		len(l.Held) != 1 || l.Held[0] != held || len(l.Waiting) != 1 || l.Waiting[0] != waits {
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
	if l, err = c.Limit(t.Context(), "stripe"); err != nil || l.Set != 0 || l.Closed || l.Permits != 1 || l.SetBy != "bob" || len(l.Held) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestWhatALimitCannotBeIsSaidAtTheCall(t *testing.T) {
	t.Parallel()
	c, _, _ := limited(t)
	for _, bad := range []struct {
		key  string
		n    int
		want string
	}{{"k", -1, "is -1, it must be from 0 to 100"}, {"k", 101, "is 101"}, {"", 1, "is empty"}, {strings.Repeat("x", 10_000), 1, "has 10000 bytes"}, {"a\tb", 1, "control character"}} {
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
