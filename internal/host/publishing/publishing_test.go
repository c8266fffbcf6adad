package publishing_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/publishing"
)

// slow takes events until it is told to stop.
type slow struct{ asked chan struct{} }

func (s slow) Publish(ctx context.Context, _ []host.InstanceEvent) error {
	close(s.asked)
	<-ctx.Done()
	return ctx.Err()
}

// counts are the counts of an observer, by their reason.
type counts struct {
	host.NoObserver
	of map[string]int
}

func (c counts) Count(_ host.Counter, reason string, n int) { c.of[reason] += n }

func TestABusHoldsUpOthersForTwoSecondsAtMost(t *testing.T) {
	t.Parallel()
	c, to, told := clock.NewVirtual(time.Unix(1_900_000_000, 0)), slow{make(chan struct{})}, counts{of: map[string]int{}}
	bus := publishing.Bus{To: to, Clock: c, Observer: told}
	over := make(chan error, 1)
	go func() { over <- bus.Publish(context.Background(), make([]host.InstanceEvent, 3)) }()
	<-to.asked
	c.Advance(publishing.Time - time.Millisecond)
	select {
	case err := <-over:
		t.Fatalf("it is given up ahead of its time: %v", err)
	default:
	}
	c.Advance(time.Millisecond)
	if err := <-over; !errors.Is(err, context.Canceled) || told.of["failed"] != 3 || told.of["published"] != 0 {
		t.Errorf("it ends with %v, and counts %v", err, told.of)
	}
}
