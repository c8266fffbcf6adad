package queuetest

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

var redelivery = []scenario{
	{name: "Q-03 an unacknowledged message is redelivered after the visibility timeout", run: func(t *testing.T, h Harness) {
		for _, fifo := range []bool{true, false} {
			const visibility = 2 * time.Second
			q := h.open(t, Spec{FIFO: fifo, Visibility: visibility})
			out := in("a", "again")
			out.Attributes = map[string]string{"reason": "none", "hops": "2"}
			q.send(out)
			before := time.Now()
			first := q.one("again")
			second := q.one("again")
			if passed := time.Since(before); passed < visibility {
				t.Errorf("it was redelivered %s after its receipt, before its visibility timeout of %s", passed, visibility)
			}
			if first.ReceiveCount != 1 || second.ReceiveCount != 2 {
				t.Errorf("receive counts %d and %d, want 1 and 2", first.ReceiveCount, second.ReceiveCount)
			}
			if second.ID != first.ID || second.Group != first.Group || second.DedupID != first.DedupID || !maps.Equal(second.Attributes, out.Attributes) {
				t.Errorf("it was redelivered as %+v, was %+v", second, first)
			}
			q.delete(second)
		}
	}},
	{name: "Q-03 SetVisibility brings a message back sooner or later", run: func(t *testing.T, h Harness) {
		const extended = 4 * time.Second
		q := h.open(t, Spec{Visibility: 2 * time.Second})
		q.send(in("a", "it"))
		before := time.Now()
		q.setVisibility(q.one("it"), extended)
		m := q.one("it")
		if passed := time.Since(before); passed < extended {
			t.Errorf("it was redelivered after %s, before the %s that were set", passed, extended)
		}
		q.setVisibility(m, 10*time.Minute)
		q.setVisibility(m, 0)
		if m := q.one("it"); m.ReceiveCount != 3 {
			t.Errorf("receive count %d, want 3", m.ReceiveCount)
		}
	}},
	{name: "Q-03 a message handed back takes its old place in its group", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(in("a", "a1"), in("a", "a2"), in("a", "a3"))
		q.setVisibility(q.one("a1"), 0)
		for _, want := range []string{"a1", "a2", "a3"} {
			q.delete(q.one(want))
		}
	}},
	{name: "Q-03 past the receive limit a message is dead-lettered intact and its group proceeds", run: func(t *testing.T, h Harness) {
		for _, fifo := range []bool{true, false} {
			q := h.open(t, Spec{FIFO: fifo, MaxReceive: 2})
			out := in("a", "poison")
			out.Attributes = map[string]string{"origin": "test"}
			q.send(out)
			first := q.one("poison")
			q.setVisibility(first, 0)
			q.setVisibility(q.one("poison"), 0)
			q.send(in("a", "next"))
			q.delete(q.one("next"))
			dead := q.deadLetter.one("poison")
			if dead.Group != first.Group || !maps.Equal(dead.Attributes, out.Attributes) {
				t.Errorf("it is in the dead-letter queue as %+v, was %+v", dead, first)
			}
			dedup := first.ID
			if h.RedriveKeepsDedupID {
				dedup = first.DedupID
			}
			if fifo && dead.DedupID != dedup {
				t.Errorf("its deduplication id there is %q, want %q", dead.DedupID, dedup)
			}
			q.none()
		}
	}},
	{name: "a message deleted on its last receive is not dead-lettered", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true, MaxReceive: 1})
		q.send(in("a", "fine"))
		q.delete(q.one("fine"))
		q.none()
		q.deadLetter.none()
	}},
	{name: "deleting with a receipt whose delivery is over is no other error than ErrReceiptExpired", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(in("a", "it"))
		old := q.one("it")
		q.setVisibility(old, 0)
		current := q.one("it")
		if err := q.Delete(t.Context(), old); err != nil && !errors.Is(err, queue.ErrReceiptExpired) {
			t.Errorf("Delete with the old receipt: %v", err)
		}
		q.delete(current)
		q.none()
	}},
}
