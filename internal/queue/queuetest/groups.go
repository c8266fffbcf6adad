package queuetest

import (
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
)

var groups = []scenario{
	{name: "Q-01 a group keeps its order", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		var want []string
		for _, m := range numbered(12, "a") {
			want = append(want, m.Body)
			q.send(m)
		}
		if got := bodies(q.drain(12)); !slices.Equal(got, want) {
			t.Fatalf("received %q, want %q", got, want)
		}
	}},
	{name: "groups of a standard queue all come, and take turns where the queue is in memory", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{})
		var all []queue.Outgoing
		for _, m := range numbered(20, "many") {
			all = append(all, queue.Outgoing{Body: m.Body, Group: m.Group})
		}
		all = append(all, queue.Outgoing{Body: "few-1", Group: "few"}, queue.Outgoing{Body: "few-2", Group: "few"}, queue.Outgoing{Body: "none"})
		q.send(all...)
		var got []string
		for len(got) < len(all) {
			msgs := q.receive(1)
			q.delete(msgs...)
			got = append(got, bodies(msgs)...)
		}
		q.none()
		want := []string{"many-000", "few-1", "none", "many-001", "few-2", "many-002"}
		if h.VirtualTime && !slices.Equal(got[:6], want) {
			t.Errorf("received %q first, want %q", got[:6], want)
		}
	}},
	{name: "Q-01 messages of one Send keep the order of their group", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		a, b := numbered(13, "a"), numbered(13, "b")
		var msgs []queue.Outgoing
		for i := range a {
			msgs = append(msgs, a[i], b[i])
		}
		q.send(msgs...)
		next := map[string]int{}
		for _, m := range q.drain(len(msgs)) {
			want := map[string][]queue.Outgoing{"a": a, "b": b}[m.Group][next[m.Group]].Body
			if m.Body != want {
				t.Fatalf("received %q, want %q", m.Body, want)
			}
			next[m.Group]++
		}
	}},
	{name: "Q-01 a group in flight gives nothing, other groups proceed", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(in("a", "a1"), in("a", "a2"))
		first := q.one("a1")
		q.none()
		q.send(in("b", "b1"))
		q.delete(q.one("b1"))
		q.none()
		q.delete(first)
		q.delete(q.one("a2"))
	}},
	{name: "Q-01 a group is held back until the last of its batch is settled", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(numbered(3, "a")...)
		batch := q.receive(2)
		q.delete(batch[1:]...)
		q.none()
		q.setVisibility(batch[0], 0)
		again := q.one("a-000")
		q.none()
		q.delete(again)
		rest := []string{"a-001", "a-002"}[len(batch)-1:]
		if got := bodies(q.drain(len(rest))); !slices.Equal(got, rest) {
			t.Fatalf("received %q, want %q", got, rest)
		}
	}},
	{name: "Q-02 a message that arrives during its group's turn is delivered next", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send(in("a", "a1"))
		first := q.one("a1")
		q.send(in("a", "a2"))
		q.none()
		q.delete(first)
		if m := q.one("a2"); m.ReceiveCount != 1 {
			t.Fatalf("receive count %d, want 1", m.ReceiveCount)
		}
	}},
}
