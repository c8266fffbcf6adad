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

// slow blocks each call until its context ends.
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

func TestABusDelaysOtherWorkForAtMostTwoSeconds(t *testing.T) {
	t.Parallel()
	c, to, reported := clock.NewVirtual(time.Unix(1_900_000_000, 0)), slow{make(chan struct{})}, counts{of: map[string]int{}}
	bus := publishing.Bus{To: to, Clock: c, Observer: reported}
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
	if err := <-over; !errors.Is(err, context.Canceled) || reported.of["failed"] != 3 || reported.of["published"] != 0 {
		t.Errorf("it ends with %v, and counts %v", err, reported.of)
	}
}

// asked counts its calls. Each call takes some time, and fails.
type asked struct {
	clock *clock.Virtual
	takes time.Duration
	calls int
	err   error
}

func (a *asked) Publish(ctx context.Context, _ []host.InstanceEvent) error {
	a.calls++
	a.clock.Advance(a.takes)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return a.err
}

func TestABusThatFailedSlowlyRestsAndOneThatFailedAtOnceDoesNot(t *testing.T) {
	t.Parallel()
	c := clock.NewVirtual(time.Unix(1_900_000_000, 0))
	to := &asked{clock: c, takes: time.Hour}
	bus := &publishing.Bus{To: to, Clock: c, Observer: host.NoObserver{}}
	publish := func() error { return bus.Publish(t.Context(), make([]host.InstanceEvent, 3)) }
	if err := publish(); err == nil {
		t.Error("it has taken events")
	}
	for range 5 {
		if err := publish(); !errors.Is(err, publishing.ErrResting) || to.calls != 1 {
			t.Fatalf("it is called %d times: %v", to.calls, err)
		}
	}
	c.Advance(publishing.Rest)
	to.takes, to.err = time.Millisecond, errors.New("refused")
	for range 3 {
		if err := publish(); !errors.Is(err, to.err) {
			t.Error(err)
		}
	}
	if to.err = nil; publish() != nil || to.calls != 5 {
		t.Errorf("%d calls, want 5", to.calls)
	}
}
