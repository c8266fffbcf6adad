package lease

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
)

// noted is a queue that records the requested visibility timeouts of messages.
type noted struct {
	queue.Queue
	calls []string
	fails error
	fifo  bool
	takes func() // takes advances the clock by the duration of a call
}

func (q *noted) FIFO() bool { return q.fifo }

func (q *noted) SetVisibility(_ context.Context, d time.Duration, msgs ...queue.Message) error {
	q.calls = append(q.calls, fmt.Sprintf("%d for %s", len(msgs), d))
	if q.takes != nil {
		q.takes()
	}
	return q.fails
}

type deadline struct {
	context.Context
	at time.Time
}

func (d deadline) Deadline() (time.Time, bool) { return d.at, true }

// A message whose visibility may expire before the invocation ends is extended; other messages cost
// no call; and a message that another process may have received is left alone.
func TestWhichMessagesBelongToAnInvocation(t *testing.T) {
	t.Parallel()
	received := time.Unix(1_700_000_000, 0)
	terms := Terms{Visibility: 2 * time.Minute, Margin: 10 * time.Second}
	for _, c := range []struct {
		name    string
		after   time.Duration // from the receive to the start of the invocation
		again   bool          // the message was received before, at an unknown time
		refuses error
		call    string // the resulting call; empty for none
		lost    bool
		until   time.Duration // since the receipt
	}{
		{name: "at once", until: 110 * time.Second},
		{name: "some seconds later", after: 39 * time.Second, until: 110 * time.Second},
		{name: "when it is just enough", after: 40 * time.Second, until: 110 * time.Second},
		{name: "when it is just enough no longer", after: 41 * time.Second, call: "1 for 1m10s", until: 111 * time.Second},
		{name: "late", after: 100 * time.Second, call: "1 for 1m10s", until: 170 * time.Second},
		{name: "when its visibility may be over", after: 110 * time.Second, lost: true, until: 110 * time.Second},
		{name: "much later", after: time.Hour, lost: true, until: 110 * time.Second},
		{name: "received again", again: true, call: "1 for 1m10s", until: 70 * time.Second},
		{name: "refused", again: true, refuses: queue.ErrReceiptExpired, call: "1 for 1m10s", lost: true},
		{name: "not answered", after: 100 * time.Second, refuses: queue.ErrUnavailable, call: "1 for 1m10s", lost: true, until: 110 * time.Second},
		{name: "refused by itself", again: true, refuses: &queue.PartialError{Failed: map[int]error{0: queue.ErrReceiptExpired}}, call: "1 for 1m10s", lost: true},
		{name: "another of the batch is refused", again: true, refuses: &queue.PartialError{Failed: map[int]error{1: queue.ErrReceiptExpired}}, call: "1 for 1m10s", until: 70 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now := received.Add(c.after)
			q := &noted{fails: c.refuses}
			m := queue.Message{ID: "m", ReceivedAt: received}
			if c.again {
				m.ReceivedAt = time.Time{}
			}
			held := Take(deadline{t.Context(), now.Add(time.Minute)}, clock.NewVirtual(now), q, terms, []queue.Message{m})[0]
			if calls := fmt.Sprint(q.calls); c.call == "" && calls != "[]" || c.call != "" && calls != "["+c.call+"]" {
				t.Errorf("calls %s, want %q", calls, c.call)
			}
			if held.Lost != c.lost || !held.Until.Equal(received.Add(c.until)) || (held.Err != nil) != (c.lost && c.call != "") {
				t.Errorf("lost %t until %s (%v), want %t until %s", held.Lost, held.Until.Sub(received), held.Err, c.lost, c.until)
			}
		})
	}
}

// A standard queue may accept an old receipt. The success of the call proves something only if it
// returned while this receive still hid the message.
func TestALateResponseProvesNothingOnAStandardQueue(t *testing.T) {
	t.Parallel()
	received := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		fifo  bool
		takes time.Duration
		lost  bool
	}{
		{takes: 9 * time.Second},
		{takes: 10 * time.Second, lost: true},
		{takes: 10 * time.Second, fifo: true}, // A FIFO queue would have rejected it.
	} {
		now := clock.NewVirtual(received.Add(100 * time.Second))
		q := &noted{fifo: c.fifo, takes: func() { now.Advance(c.takes) }}
		held := Take(deadline{t.Context(), now.Now().Add(time.Minute)}, now, q, Terms{Visibility: 2 * time.Minute, Margin: Skew}, []queue.Message{{ID: "m", ReceivedAt: received}})[0]
		if held.Lost != c.lost {
			t.Errorf("FIFO %t, a call of %s: lost %t, want %t", c.fifo, c.takes, held.Lost, c.lost)
		}
	}
}

// One call extends all messages of a batch that need it, up to the maximum visibility timeout.
func TestOneCallKeepsABatch(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	q := &noted{}
	batch := []queue.Message{{ID: "fresh", ReceivedAt: now}, {ID: "again"}, {ID: "old", ReceivedAt: now.Add(-time.Minute)}, {ID: "gone", ReceivedAt: now.Add(-time.Hour)}}
	held := Take(deadline{t.Context(), now.Add(time.Minute)}, clock.NewVirtual(now), q, Terms{Visibility: 2 * time.Minute, Margin: Skew}, batch)
	if fmt.Sprint(q.calls) != "[2 for 1m10s]" {
		t.Errorf("calls %v", q.calls)
	}
	for i, lost := range []bool{false, false, false, true} {
		if held[i].Lost != lost {
			t.Errorf("%s: lost %t", batch[i].ID, held[i].Lost)
		}
	}
	q = &noted{}
	Take(deadline{t.Context(), now.Add(24 * time.Hour)}, clock.NewVirtual(now), q, Terms{Visibility: time.Minute, Margin: Skew}, batch[1:2])
	if want := fmt.Sprintf("[1 for %s]", queue.MaxVisibility); fmt.Sprint(q.calls) != want {
		t.Errorf("calls %v, want %s", q.calls, want)
	}
}

// Without a deadline, how long the messages are needed is unknown.
func TestAnInvocationWithoutADeadlineRenewsNothing(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	q := &noted{fails: errors.New("called")}
	held := Take(t.Context(), clock.NewVirtual(now), q, Terms{Visibility: time.Minute, Margin: Skew}, []queue.Message{{ID: "again"}})
	if held[0].Lost || len(q.calls) > 0 {
		t.Errorf("held %+v, calls %v", held[0], q.calls)
	}
}
