package console_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/store/metering"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// What is charged for an open page, by the items that store/dynamo writes: a unit
// for the record, and one for what is new of the history, which is nothing.
func TestAnOpenInstanceCostsTwoReadUnitsALook(t *testing.T) {
	t.Parallel()
	w, err := world()
	if err != nil {
		t.Fatal(err)
	}
	const looks = 10
	var mu sync.Mutex
	var uses []dynamo.Usage
	enough := make(chan struct{})
	metered := metering.New(memorystore.New(), dynamo.Config{}, func(u dynamo.Usage) {
		mu.Lock()
		defer mu.Unlock()
		if u.ReadUnits > 0 {
			if uses = append(uses, u); len(uses) == 2*looks {
				close(enough)
			}
		}
	})
	if err := w.CopyTo(context.Background(), metered); err != nil {
		t.Fatal(err)
	}
	q, err := memory.New(memory.Options{Name: "orchestrator", FIFO: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	c, err := client.New(client.Config{Store: metered, Queue: q})
	if err != nil {
		t.Fatal(err)
	}
	h, err := console.Handler(c, console.WithPolling(100*time.Millisecond, 1_000_000))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, h: h}
	b.follow("instance=" + demo.Waiting)
	b.follow("instance=" + demo.Waiting)
	<-enough
	mu.Lock()
	defer mu.Unlock()
	total := 0.0
	for _, u := range uses[:2*looks] {
		total += u.ReadUnits
	}
	if total != 2*looks {
		t.Errorf("%d looks for two pages read %v units, want 2 each", looks, total)
	}
}
