package queuetest

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

var deduplication = []scenario{
	{name: "Q-04 one deduplication id gives one delivery, whatever the body", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(
			queue.Outgoing{Body: "first", Group: "a", DedupID: "x"},
			queue.Outgoing{Body: "second", Group: "a", DedupID: "x"},
		)
		q.send(queue.Outgoing{Body: "third", Group: "a", DedupID: "x"})
		if m := q.drain(1)[0]; m.Body != "first" || m.DedupID != "x" {
			t.Fatalf("received %+v", m)
		}
	}},
	{name: "Q-04 an id is remembered after its message is deleted", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(in("a", "once"))
		q.drain(1)
		q.send(in("a", "once"))
		q.none()
	}},
	{name: "Q-04 equal bodies with different ids are two", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(
			queue.Outgoing{Body: "same", Group: "a", DedupID: "x"},
			queue.Outgoing{Body: "same", Group: "a", DedupID: "y"},
		)
		q.drain(2)
	}},
	{name: "Q-04 without an id the content is it", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(
			queue.Outgoing{Body: "same", Group: "a"},
			queue.Outgoing{Body: "same", Group: "a", Attributes: map[string]string{"not": "counted"}},
			queue.Outgoing{Body: "other", Group: "a"},
		)
		q.drain(2)
	}},
	{name: "Q-04 ids of different groups are different", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(
			queue.Outgoing{Body: "same", Group: "a", DedupID: "x"},
			queue.Outgoing{Body: "same", Group: "b", DedupID: "x"},
		)
		q.drain(2)
	}},
	{name: "Q-04 an id is forgotten after five minutes", minutes: true, run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(in("a", "again"))
		q.drain(1)
		receivedNothing(t, q, 5*time.Minute-2*quiet)
		q.send(in("a", "again"))
		receivedNothing(t, q, 2*quiet)
		q.send(in("a", "again"))
		q.drain(1)
	}},
	{name: "a standard queue does not deduplicate", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{})
		q.send(in("a", "same"), in("a", "same"))
		q.drain(2)
	}},
}

// receivedNothing lets d pass.
func receivedNothing(t *testing.T, q *opened, d time.Duration) {
	t.Helper()
	if msgs, err := q.Receive(t.Context(), 1, d); err != nil || len(msgs) > 0 {
		t.Fatalf("received %q, %v; want nothing for %s", bodies(msgs), err, d)
	}
}
