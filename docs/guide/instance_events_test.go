package guide_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
)

func announce(ctx context.Context, e host.InstanceEvent) error {
	fmt.Println(e.Orchestration, e.Instance, e.Type)
	return nil
}

func subscribed(app *turnstile.App) (*embedded.Runtime, error) {
	return embedded.New(app, embedded.WithInstanceEvents(announce))
}

func TestASubscriberIsGivenToARuntime(t *testing.T) {
	r, err := subscribed(importApp)
	if err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := r.Run(ended); err != nil {
		t.Error(err)
	}
}

// The function refuses each event once, and panics at the second: all come in the end, with
// growing numbers.
func TestASubscriberIsNotifiedOfAllThatHappensThoughItFails(t *testing.T) {
	var mu sync.Mutex
	tried, told := map[string]int{}, map[string]host.InstanceEvent{}
	ended := make(chan struct{})
	f := func(_ context.Context, e host.InstanceEvent) error {
		mu.Lock()
		defer mu.Unlock()
		tried[e.Number]++
		switch tried[e.Number] {
		case 1:
			return errors.New("not now")
		case 2:
			panic("nor now")
		}
		if told[e.Type] = e; len(told) == 4 && tried[e.Number] == 3 {
			close(ended)
		}
		return nil
	}
	r, err := embedded.New(importApp, embedded.WithVirtualTime(time.Unix(1_900_000_000, 0)), embedded.WithInstanceEvents(f))
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(running) }()
	if _, err := client.Start(t.Context(), r.Client(), Import, "a.csv", client.WithInstanceID("a"), client.StartAfter(time.Hour)); err != nil {
		t.Fatal(err)
	}
	<-ended
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	last := ""
	for _, what := range []string{"started", "suspended", "resumed", "completed"} {
		e := told[what]
		if e.Instance != "a" || e.Execution != 1 || e.Orchestration != "Import" || e.Schema != 1 || e.Number <= last || e.At.IsZero() {
			t.Errorf("%s: %+v behind %s", what, e, last)
		}
		last = e.Number
	}
}
