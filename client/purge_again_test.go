package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// O-04: the schedule that deletes the histories of a purged instance may be lost: who
// purges it once more is not told that it is gone, and the purge is sent.
func TestO04APurgeThatIsRepeatedIsSent(t *testing.T) {
	t.Parallel()
	s, q := memory.New(), &sentTo{}
	tombstone := store.Record{Instance: "a", ExecutionID: 1, StartID: "1", Purged: true, FreeAt: epoch.Add(15 * 24 * time.Hour)}
	if err := s.UpdateRecord(t.Context(), "a", store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &tombstone, UpdatedAt: epoch}); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Config{Queue: q, Store: s})
	if err != nil {
		t.Fatal(err)
	}
	for n, options := range [][]client.PurgeOption{nil, {client.Force()}} {
		if err := c.Purge(t.Context(), "a", options...); err != nil || len(q.bodies) != n+1 {
			t.Fatalf("the purge with %d options gave %v; sent %q", len(options), err, q.bodies)
		}
		if !strings.Contains(q.bodies[n], string(wire.PurgeInstance)) || strings.Contains(q.bodies[n], "force") {
			t.Errorf("sent %s, want a purge without force", q.bodies[n])
		}
	}
}
