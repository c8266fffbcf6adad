package queuetest

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

var contract = []scenario{
	{name: "what was sent is what is received", run: func(t *testing.T, h Harness) {
		before := time.Now().Truncate(time.Second)
		for _, fifo := range []bool{true, false} {
			q := h.open(t, Spec{FIFO: fifo})
			out := queue.Outgoing{
				Body:       "{\"v\":1,\"text\":\"Grüße, \\u0000 €, 🙂\"}\r\n\t",
				Group:      `order-1!"#$%&'()*+,-./:;<=>?@[\]^_{|}~` + "`",
				DedupID:    "fact-1",
				Attributes: map[string]string{"reason": "a b\nc", "n.a-m_e9": "ü"},
			}
			q.send(out)
			m := q.one(out.Body)
			if !maps.Equal(m.Attributes, out.Attributes) {
				t.Errorf("attributes %q, want %q", m.Attributes, out.Attributes)
			}
			if fifo && (m.Group != out.Group || m.DedupID != out.DedupID) {
				t.Errorf("group %q and deduplication id %q, want %q and %q", m.Group, m.DedupID, out.Group, out.DedupID)
			}
			if !fifo && (m.Group != out.Group || m.DedupID != "") {
				t.Errorf("group %q and deduplication id %q on a standard queue, want %q and none", m.Group, m.DedupID, out.Group)
			}
			if m.ID == "" || m.Receipt == "" || m.ReceiveCount != 1 || m.SentAt.Before(before) || m.ReceivedAt.Before(before) {
				t.Errorf("received %+v", m)
			}
			q.delete(m)
		}
	}},
	{name: "deleting twice is no error", run: func(t *testing.T, h Harness) {
		for _, fifo := range []bool{true, false} {
			q := h.open(t, Spec{FIFO: fifo})
			q.send(in("a", "it"))
			m := q.one("it")
			q.delete(m, m)
			q.none()
		}
	}},
	{name: "a message without group is refused by a FIFO queue alone", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		refused(t, q, "group", queue.Outgoing{Body: "x"})
		h.open(t, Spec{}).send(queue.Outgoing{Body: "x"})
	}},
	{name: "what SQS does not carry is refused", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		with := func(change func(*queue.Outgoing)) queue.Outgoing {
			m := in("a", "x")
			change(&m)
			return m
		}
		refused(t, q, "body", with(func(m *queue.Outgoing) { m.Body = "" }))
		refused(t, q, "body", with(func(m *queue.Outgoing) { m.Body = "a\x00b" }))
		refused(t, q, "body", with(func(m *queue.Outgoing) { m.Body = "a\xffb" }))
		refused(t, q, "body", with(func(m *queue.Outgoing) { m.Body = "a\uffffb" }))
		refused(t, q, "group", with(func(m *queue.Outgoing) { m.Group = "größer" }))
		refused(t, q, "group", with(func(m *queue.Outgoing) { m.Group = strings.Repeat("g", queue.MaxGroup+1) }))
		refused(t, q, "deduplication id", with(func(m *queue.Outgoing) { m.DedupID = "a b" }))
		refused(t, q, "attributes", with(func(m *queue.Outgoing) { m.Attributes = map[string]string{"empty": ""} }))
		refused(t, q, "attributes", with(func(m *queue.Outgoing) { m.Attributes = map[string]string{"a b": "x"} }))
		refused(t, q, "attributes", with(func(m *queue.Outgoing) { m.Attributes = map[string]string{"AWS.x": "x"} }))
		refused(t, q, "attributes", with(func(m *queue.Outgoing) { m.Attributes = map[string]string{"x": "\x01"} }))
		q.send(with(func(m *queue.Outgoing) { m.Group = strings.Repeat("g", queue.MaxGroup) }))
		q.drain(1)
	}},
	{name: "numbers out of range are errors", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{})
		for _, max := range []int{0, queue.MaxReceive + 1} {
			if _, err := q.Receive(t.Context(), max, 0); err == nil {
				t.Errorf("Receive of %d messages: no error", max)
			}
		}
		q.send(in("a", "it"))
		m := q.one("it")
		for _, d := range []time.Duration{-time.Second, queue.MaxVisibility + time.Second} {
			if err := q.SetVisibility(t.Context(), d, m); err == nil {
				t.Errorf("SetVisibility to %s: no error", d)
			}
		}
		q.delete(m)
	}},
	{name: "a receiver that waits gets what is sent meanwhile", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		type answer struct {
			msgs []queue.Message
			err  error
		}
		got := make(chan answer, 1)
		go func() {
			msgs, err := q.Receive(t.Context(), 1, enough)
			got <- answer{msgs, err}
		}()
		q.send(in("a", "it"))
		if a := <-got; a.err != nil || len(a.msgs) != 1 {
			t.Fatalf("received %q, %v", bodies(a.msgs), a.err)
		}
	}},
	{name: "a receive ends with its context", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 1)
		go func() {
			_, err := q.Receive(ctx, 1, 24*time.Hour)
			got <- err
		}()
		cancel()
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("Receive: %v, want context.Canceled", err)
		}
	}},
}
