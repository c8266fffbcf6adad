package queuetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// The part of Q-06 that needs a failing service is in the tests of package sqs.
var batches = []scenario{
	{name: "Q-06 more messages than a batch takes are all in", run: func(t *testing.T, h Harness) {
		for _, fifo := range []bool{true, false} {
			q := h.open(t, Spec{FIFO: fifo})
			msgs := numbered(23, "a")
			q.send(msgs...)
			got := bodies(q.drain(len(msgs)))
			slices.Sort(got)
			for i, m := range msgs {
				if got[i] != m.Body {
					t.Fatalf("received %q, want each of 23 once", got)
				}
			}
		}
	}},
	{name: "Q-06 more bytes than a batch takes are all in", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{})
		body := strings.Repeat("x", 300<<10)
		for range 5 {
			q.send(queue.Outgoing{Body: body}, queue.Outgoing{Body: body})
		}
		q.send(queue.Outgoing{Body: body}, queue.Outgoing{Body: body}, queue.Outgoing{Body: body}, queue.Outgoing{Body: body}, queue.Outgoing{Body: body})
		for _, m := range q.drain(15) {
			if m.Body != body {
				t.Fatalf("a body of %d bytes arrived with %d", len(body), len(m.Body))
			}
		}
	}},
	{name: "a message of the largest size arrives, a larger one is refused", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{})
		m := queue.Outgoing{Attributes: map[string]string{"n": "v"}}
		m.Body = strings.Repeat("x", queue.MaxBody-m.Size())
		q.send(m)
		q.one(m.Body)
		m.Body += "x"
		refused(t, q, "body", m)
	}},
	{name: "sending nothing is no error", run: func(t *testing.T, h Harness) {
		q := h.open(t, Spec{FIFO: true})
		q.send()
		q.none()
	}},
}
