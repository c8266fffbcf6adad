//go:build unix

package e2e_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

// Six instances under a limit of two: the others are queued and begin first come, first served, but for
// one that is moved to the front and one that is terminated while it waits. Each end gives its place
// to the next.
func TestInstancesWaitForTheirTurnUnderALimit(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	key := unique("limit")
	limited := orders.Fulfil.With(turnstile.Limit(key, 2))
	id := func(n int) string { return fmt.Sprintf("%s-%d", key, n) }
	line := func() (running, waiting []string) {
		l, err := s.client.InstanceLimit(ctx, key)
		if err != nil && !isNotFound(err) {
			t.Fatal(err)
		}
		for _, h := range l.Held {
			running = append(running, h.Instance)
		}
		for _, w := range l.Waiting {
			waiting = append(waiting, w.Instance)
		}
		slices.Sort(running)
		return running, waiting
	}
	// stands waits until the gate shows these, and until those that run wait for their approval.
	stands := func(running, waiting []int) {
		t.Helper()
		ids := func(of []int) (all []string) {
			for _, n := range of {
				all = append(all, id(n))
			}
			return all
		}
		eventually(ctx, t, fmt.Sprintf("%v run and %v wait", running, waiting), func() bool {
			r, w := line()
			return slices.Equal(r, ids(running)) && slices.Equal(w, ids(waiting))
		})
		for _, n := range running {
			awaitApprovalAwaited(ctx, t, s.client, id(n))
		}
		for _, n := range waiting {
			if d, err := s.client.Describe(ctx, id(n)); err != nil || d.Status != client.StatusQueued || d.Suspension == nil || d.Suspension.LimitKey != key {
				t.Errorf("order %d waits: %+v, %v", n, d, err)
			}
		}
	}
	ends := func(n int) {
		t.Helper()
		if err := client.Raise(ctx, s.client, orders.Approved, id(n), orders.Approval{By: "Grace", Approved: true}); err != nil {
			t.Fatal(err)
		}
		if result, err := client.Attach(s.client, orders.Fulfil, id(n)).Wait(ctx); err != nil || result.Status != "shipped" {
			t.Errorf("order %d: %+v, %v", n, result, err)
		}
	}
	var running, waiting []int
	for n := range 6 {
		if _, err := client.Start(ctx, s.client, limited, order(id(n)), client.WithInstanceID(id(n))); err != nil {
			t.Fatal(err)
		}
		if n < 2 {
			running = append(running, n)
		} else {
			waiting = append(waiting, n)
		}
		stands(running, waiting)
	}
	if err := s.client.MoveToFront(ctx, id(5)); err != nil {
		t.Fatal(err)
	}
	stands([]int{0, 1}, []int{5, 2, 3, 4})
	for _, n := range []int{3, 0} { // One that waits, one that runs.
		if err := s.client.Terminate(ctx, id(n), "test data"); err != nil {
			t.Fatal(err)
		}
	}
	stands([]int{1, 5}, []int{2, 4})
	ends(1)
	stands([]int{2, 5}, []int{4})
	ends(5)
	stands([]int{2, 4}, nil)
	ends(2)
	ends(4)
	stands(nil, nil)
	for n := range 6 {
		want := client.StatusCompleted
		if n == 0 || n == 3 {
			want = client.StatusTerminated
		}
		if d, err := s.client.Describe(ctx, id(n)); err != nil || d.Status != want {
			t.Errorf("order %d is %s, %v", n, d.Status, err)
		}
		if want == client.StatusCompleted {
			checkedHistory(ctx, t, s.client, sample(), id(n))
		}
	}
}
