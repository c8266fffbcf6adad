package queuetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
)

// Spec describes the queue that a test needs.
type Spec struct {
	FIFO bool
	// Visibility timeout; 0 means any that is longer than the test.
	Visibility time.Duration
	// MaxReceive above 0 asks for a dead-letter queue of the same kind.
	MaxReceive int
}

// Harness connects the suite to an implementation.
type Harness struct {
	// Open returns a new, empty queue, and its dead-letter queue if the spec asks for one, else nil.
	// FIFO queues deduplicate per group, and by content if there is no id. Open cleans up through
	// t.Cleanup.
	Open func(t *testing.T, s Spec) (q, deadLetter queue.Queue)
	// Within runs the body of a test, for example in a synctest bubble. Nil runs it directly.
	Within func(t *testing.T, body func(t *testing.T))
	// RedriveKeepsDedupID is set if a message that is moved to the dead-letter queue keeps its
	// deduplication id; SQS instead uses the original message id. LocalStack 4.14 keeps it.
	RedriveKeepsDedupID bool
	// Grain is the unit to which the queue rounds delays up; 0 for none.
	Grain time.Duration
	// VirtualTime is set if waiting for minutes costs nothing.
	VirtualTime bool
}

// enough is how long the suite waits for a message that must arrive. It costs time only in a test that
// fails.
const enough = 10 * time.Minute

// quiet is how long the suite waits for a message that must not arrive. If only time could make it
// visible, that time is far longer.
const quiet = time.Second

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	if h.Within == nil {
		h.Within = func(t *testing.T, body func(*testing.T)) { body(t) }
	}
	for _, group := range [][]scenario{groups, redelivery, deduplication, delays, batches, settling, contract} {
		for _, s := range group {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				if s.minutes && !h.VirtualTime {
					t.Skip("takes minutes of real time: it runs in virtual time in the tests of internal/queue/memory")
				}
				h.Within(t, func(t *testing.T) { s.run(t, h) })
			})
		}
	}
}

type scenario struct {
	name string
	// minutes is set if it waits for minutes.
	minutes bool
	run     func(t *testing.T, h Harness)
}

// opened is a queue under test, with helpers for the scenarios.
type opened struct {
	t *testing.T
	queue.Queue
	deadLetter *opened
}

func (h Harness) open(t *testing.T, s Spec) *opened {
	t.Helper()
	if s.Visibility == 0 {
		s.Visibility = 10 * time.Minute
	}
	q, dead := h.Open(t, s)
	o := &opened{t: t, Queue: q}
	if s.MaxReceive > 0 {
		o.deadLetter = &opened{t: t, Queue: dead}
	}
	if q.FIFO() != s.FIFO {
		t.Fatalf("FIFO() is %t for a queue opened with FIFO %t", q.FIFO(), s.FIFO)
	}
	return o
}

func (o *opened) ctx() context.Context { return o.t.Context() }

func (o *opened) send(msgs ...queue.Outgoing) {
	o.t.Helper()
	if err := o.Send(o.ctx(), msgs...); err != nil {
		o.t.Fatalf("Send: %v", err)
	}
}

// receive waits for at least one message.
func (o *opened) receive(max int) []queue.Message {
	o.t.Helper()
	for until := time.Now().Add(enough); ; {
		msgs, err := o.Receive(o.ctx(), max, enough)
		if err != nil {
			o.t.Fatalf("Receive: %v", err)
		}
		if len(msgs) > max {
			o.t.Fatalf("Receive of at most %d gave %d messages", max, len(msgs))
		}
		if len(msgs) > 0 {
			return msgs
		}
		if time.Now().After(until) {
			o.t.Fatalf("no message within %s", enough)
		}
	}
}

// one waits for one message and checks its body.
func (o *opened) one(body string) queue.Message {
	o.t.Helper()
	m := o.receive(1)[0]
	if m.Body != body {
		o.t.Fatalf("received %q, want %q", m.Body, body)
	}
	return m
}

func (o *opened) none() {
	o.t.Helper()
	msgs, err := o.Receive(o.ctx(), queue.MaxReceive, quiet)
	if err != nil {
		o.t.Fatalf("Receive: %v", err)
	}
	if len(msgs) > 0 {
		o.t.Fatalf("received %q (group %q, receive %d) where nothing may come", msgs[0].Body, msgs[0].Group, msgs[0].ReceiveCount)
	}
}

func (o *opened) delete(msgs ...queue.Message) {
	o.t.Helper()
	for _, m := range msgs {
		if err := o.Delete(o.ctx(), m); err != nil {
			o.t.Fatalf("Delete of %q: %v", m.Body, err)
		}
	}
}

func (o *opened) setVisibility(m queue.Message, d time.Duration) {
	o.t.Helper()
	if err := o.SetVisibility(o.ctx(), d, m); err != nil {
		o.t.Fatalf("SetVisibility of %q to %s: %v", m.Body, d, err)
	}
}

// drain receives and deletes n messages, and then checks that there are no
// more.
func (o *opened) drain(n int) []queue.Message {
	o.t.Helper()
	var all []queue.Message
	for len(all) < n {
		msgs := o.receive(queue.MaxReceive)
		o.delete(msgs...)
		all = append(all, msgs...)
	}
	if len(all) > n {
		o.t.Fatalf("received %d messages, want %d: %q", len(all), n, bodies(all))
	}
	o.none()
	return all
}

func bodies(msgs []queue.Message) []string {
	out := make([]string, len(msgs))
	for i, m := range msgs {
		out[i] = m.Body
	}
	return out
}

// in returns a message of a FIFO group with its own deduplication id.
func in(group, body string) queue.Outgoing {
	return queue.Outgoing{Body: body, Group: group, DedupID: "id-of-" + body}
}

func numbered(n int, group string) []queue.Outgoing {
	out := make([]queue.Outgoing, n)
	for i := range out {
		out[i] = in(group, fmt.Sprintf("%s-%03d", group, i))
	}
	return out
}
