package memory_test

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
)

func TestTheTwelveHoursOfVisibilityCountFromTheReceiptWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	for _, total := range []bool{false, true} {
		clock := newClock()
		q := open(t, memory.Options{Clock: clock, TotalVisibility: total})
		send(t, q, queue.Outgoing{Body: "late"}, queue.Outgoing{Body: "in time"})
		msgs := receive(t, q, "late", "in time")
		if err := q.SetVisibility(t.Context(), queue.MaxVisibility, msgs...); err != nil {
			t.Fatalf("total %t: at the receipt: %v", total, err)
		}
		clock.Advance(time.Minute)
		err := q.SetVisibility(t.Context(), queue.MaxVisibility, msgs[0])
		if refused := err != nil; refused != total || errors.Is(err, queue.ErrReceiptExpired) {
			t.Errorf("total %t: 12 hours, a minute after the receipt: %v", total, err)
		}
		if err := q.SetVisibility(t.Context(), queue.MaxVisibility-time.Minute, msgs[1]); err != nil {
			t.Errorf("total %t: up to 12 hours after the receipt: %v", total, err)
		}
		// What is refused leaves the message as it was.
		clock.Advance(queue.MaxVisibility - time.Minute - time.Second)
		receive(t, q)
		clock.Advance(time.Second)
		if total {
			receive(t, q, "late", "in time")
		} else {
			receive(t, q, "in time")
		}
	}
}
