package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// RunActivities runs the suite for store.Activities. now is the time by the
// backend's clock.
func RunActivities(t *testing.T, open func(t *testing.T) store.Activities, now func() time.Time) {
	t.Helper()
	key := store.ActivityKey{Instance: "order-7", ExecutionID: 1, EventID: 2}
	wantStop := func(t *testing.T, a store.Activities, key store.ActivityKey, reason string, stop bool) {
		t.Helper()
		gotReason, gotStop, err := a.StopRequested(t.Context(), key)
		if err != nil || gotReason != reason || gotStop != stop {
			t.Fatalf("stop requested for %+v: %q, %v, %v; want %q, %v", key, gotReason, gotStop, err, reason, stop)
		}
	}
	request := func(t *testing.T, a store.Activities, key store.ActivityKey, reason string) {
		t.Helper()
		if err := a.RequestStop(t.Context(), key, reason, now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		run  func(t *testing.T, a store.Activities)
	}{
		{"nobody asked for a stop", func(t *testing.T, a store.Activities) {
			wantStop(t, a, key, "", false)
		}},
		{"a stop is seen with its reason, and the first reason stays", func(t *testing.T, a store.Activities) {
			request(t, a, key, "order withdrawn")
			wantStop(t, a, key, "order withdrawn", true)
			request(t, a, key, "another reason")
			wantStop(t, a, key, "order withdrawn", true)
		}},
		{"a stop without a reason is a stop", func(t *testing.T, a store.Activities) {
			request(t, a, key, "")
			wantStop(t, a, key, "", true)
		}},
		{"S-12 activities of other instances, executions and events are not stopped", func(t *testing.T, a store.Activities) {
			keys := []store.ActivityKey{
				key, {Instance: "order-7", ExecutionID: 1, EventID: 21}, {Instance: "order-7", ExecutionID: 12, EventID: 1},
				{Instance: "1#order-7", ExecutionID: 1, EventID: 2}, {Instance: "2#order-7", ExecutionID: 1, EventID: 2},
				{Instance: "order-7#1", ExecutionID: 1, EventID: 2}, {Instance: "日本", ExecutionID: 1, EventID: 2},
			}
			for i, k := range keys {
				for _, later := range keys[i:] {
					wantStop(t, a, later, "", false)
				}
				request(t, a, k, "stop")
				wantStop(t, a, k, "stop", true)
			}
		}},
		{"S-15 a cancelled context stops the call", func(t *testing.T, a store.Activities) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := a.RequestStop(ctx, key, "", now()); !errors.Is(err, context.Canceled) {
				t.Fatalf("request: got %v, want context.Canceled", err)
			}
			if _, _, err := a.StopRequested(ctx, key); !errors.Is(err, context.Canceled) {
				t.Fatalf("requested: got %v, want context.Canceled", err)
			}
			wantStop(t, a, key, "", false)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}
