package memory_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
)

func newClock() *clock.Virtual { return clock.NewVirtual(time.Unix(1_700_000_000, 0)) }

func TestOneTimerIsArmedForTheNextChangeAndNoneWithout(t *testing.T) {
	t.Parallel()
	c := newClock()
	q := open(t, memory.Options{Clock: c})
	expect := func(want int) {
		t.Helper()
		if got := c.Pending(); got != want {
			t.Fatalf("%d timers are armed, want %d", got, want)
		}
	}
	expect(0)
	send(t, q, queue.Outgoing{Body: "x", Delay: time.Second}, queue.Outgoing{Body: "y", Delay: time.Minute})
	expect(1)
	c.Advance(time.Second)
	expect(1)
	receive(t, q, "x")
	expect(1)
	c.Advance(time.Minute)
	expect(0)
	receive(t, q, "x", "y")
	expect(1)
	q.Close()
	expect(0)
}
