package embedded_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
)

// An event that the subscriber rejects waits in the delay queue, and waits there again after each
// rejection.
func TestAnEventThatIsRefusedAgainWaitsOn(t *testing.T) {
	t.Parallel()
	const refused = 4
	tries, taken := 0, make(chan host.InstanceEvent, 1)
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e, err := embedded.New(turnstile.NewApp(flow.Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil })),
		embedded.WithVirtualTime(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)),
		embedded.WithInstanceEvents(func(_ context.Context, ev host.InstanceEvent) error {
			if ev.Type != "completed" {
				return nil
			}
			if tries++; tries <= refused {
				return errors.New("not now")
			}
			taken <- ev
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	over := make(chan error, 1)
	go func() { over <- e.Run(ctx) }()
	if _, err := client.Start(ctx, e.Client(), flow, 1, client.WithInstanceID("a")); err != nil {
		t.Fatal(err)
	}
	select {
	case ev := <-taken:
		if ev.Instance != "a" || tries != refused+1 {
			t.Errorf("after %d tries it has %+v", tries, ev)
		}
	case <-ctx.Done():
		t.Error("the event was dropped")
	}
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
}
