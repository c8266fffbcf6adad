package client_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/store"
)

// listing is a store that cannot count.
type listing struct{ store.Store }

func TestInstancesAreCountedByTheStoreOrByTheirRecordsUpToABound(t *testing.T) {
	t.Parallel()
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	s := memorystore.New()
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 9 {
		status := store.StatusRunning
		if i%3 == 0 {
			status = store.StatusFailed
		}
		r := store.Record{Instance: fmt.Sprint(i), ExecutionID: 1, Name: "N", Status: status, CreatedAt: at, UpdatedAt: at}
		if err := s.UpdateRecord(t.Context(), r.Instance, store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: at}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		store           store.Store
		most            int
		running, failed int
		more            bool
	}{{s, 2, 6, 3, false}, {listing{s}, 100, 6, 3, false}, {listing{s}, 4, 4, 3, true}} {
		cl, err := client.New(client.Config{Store: c.store, Queue: q})
		if err != nil {
			t.Fatal(err)
		}
		counts, more, err := cl.CountByStatus(t.Context(), client.ListQuery{Name: "N"}, c.most)
		if err != nil || counts[client.StatusRunning] != c.running || counts[client.StatusFailed] != c.failed || more[client.StatusRunning] != c.more || more[client.StatusFailed] {
			t.Errorf("up to %d: %v, more %v, %v", c.most, counts, more, err)
		}
	}
}
