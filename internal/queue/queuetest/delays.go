package queuetest

import (
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

var delays = []scenario{
	{name: "Q-05 a delayed message is not received before its delay has passed", run: func(t *testing.T, h Harness) {
		const delay = 2 * time.Second
		q := h.open(t, Spec{})
		before := time.Now()
		q.send(queue.Outgoing{Body: "late", Delay: delay}, queue.Outgoing{Body: "now"})
		q.delete(q.one("now"))
		m := q.one("late")
		if passed := time.Since(before); passed < delay {
			t.Errorf("received after %s, before its delay of %s", passed, delay)
		}
		if m.ReceiveCount != 1 {
			t.Errorf("receive count %d, want 1", m.ReceiveCount)
		}
	}},
	{name: "Q-05 the longest delay is 900 seconds", minutes: true, run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{})
		q.send(queue.Outgoing{Body: "late", Delay: 900 * time.Second})
		receivedNothing(t, q, 900*time.Second-1)
		q.one("late")
	}},
	{name: "Q-05 a delay is rounded up to the grain of the queue, and to no more", run: func(t *testing.T, h Harness) {
		const delay = 1001 * time.Millisecond
		q := h.open(t, Spec{})
		before := time.Now()
		q.send(queue.Outgoing{Body: "late", Delay: delay})
		q.one("late")
		passed, want := time.Since(before), delay
		if h.Grain > 0 {
			want = (delay + h.Grain - 1) / h.Grain * h.Grain
		}
		if passed < delay || h.VirtualTime && passed != want {
			t.Errorf("received after %s, its delay is %s, of which the queue makes %s", passed, delay, want)
		}
	}},
	{name: "Q-05 900 seconds are accepted, more is refused with a typed error", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{})
		q.send(queue.Outgoing{Body: "late", Delay: 900 * time.Second})
		refused(t, q, "delay", queue.Outgoing{Body: "too late", Delay: 901 * time.Second})
		refused(t, q, "delay", queue.Outgoing{Body: "too early", Delay: -time.Second})
		q.none()
	}},
	{name: "Q-05 a FIFO queue refuses a delay", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		late := in("a", "late")
		late.Delay = time.Second
		refused(t, q, "delay", late)
	}},
}

// refused checks that the second of two messages is refused because of a field, and that the first was
// not sent either.
func refused(t *testing.T, q *opened, field string, m queue.Outgoing) {
	t.Helper()
	good := in("refused", "good-beside-refused")
	err := q.Send(t.Context(), good, m)
	var invalid *queue.InvalidMessageError
	if !errors.As(err, &invalid) || invalid.Field != field || invalid.Index != 1 {
		t.Errorf("Send: %v; want an InvalidMessageError of message 1 for its %s", err, field)
	}
}
