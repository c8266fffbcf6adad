package memory_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/storetest"
	"github.com/turnstile-go/turnstile/store"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Options{
		Open:        func(*testing.T) store.Store { return memory.New() },
		Reopen:      func(_ *testing.T, s store.Store) store.Store { return s },
		LoseAnswers: storetest.LoseAnswers,
		Throttle:    storetest.Throttle,
	})
}

func TestActivities(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	storetest.RunActivities(t, func(*testing.T) store.Activities {
		return memory.NewActivities(func() time.Time { return now })
	}, func() time.Time { return now })
}

func TestRequestToStopExpires(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a := memory.NewActivities(func() time.Time { return now })
	key := store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: 2}
	if err := a.RequestStop(t.Context(), key, "order withdrawn", now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Minute - 1)
	if s, _ := a.State(t.Context(), key); !s.Stop {
		t.Fatal("the request was gone before it expired")
	}
	now = now.Add(1)
	if s, _ := a.State(t.Context(), key); s.Stop {
		t.Fatal("the request outlived its time")
	}
}
