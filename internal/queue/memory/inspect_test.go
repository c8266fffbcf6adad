package memory_test

import (
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/journal"
)

func opened(t *testing.T, o memory.Options) *memory.Queue {
	t.Helper()
	q, err := memory.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func TestReceiveTheseOfAStandardQueueTakesAnyThatAreVisible(t *testing.T) {
	t.Parallel()
	clock := newClock()
	q := opened(t, memory.Options{Clock: clock})
	ids := send(t, q, queue.Outgoing{Body: "1"}, queue.Outgoing{Body: "2"}, queue.Outgoing{Body: "3"}, queue.Outgoing{Body: "4", Delay: time.Minute})
	msgs, err := q.ReceiveThese(ids[2], ids[0])
	if err != nil || len(msgs) != 2 || msgs[0].Body != "3" || msgs[1].Body != "1" || msgs[0].ReceiveCount != 1 {
		t.Fatalf("received %v, %v", msgs, err)
	}
	for _, id := range []string{ids[0], ids[3], "none"} {
		if _, err := q.ReceiveThese(id); err == nil {
			t.Errorf("%s was received, which is not visible", id)
		}
	}
	if left, _ := q.Receive(t.Context(), 10, 0); len(left) != 1 || left[0].ID != ids[1] {
		t.Errorf("%v is left to receive, not %s alone", left, ids[1])
	}
}

func TestReceiveTheseOfAFIFOQueueKeepsTheOrderOfTheGroup(t *testing.T) {
	t.Parallel()
	clock := newClock()
	q := opened(t, memory.Options{Clock: clock, FIFO: true})
	ids := send(t, q, queue.Outgoing{Body: "1", Group: "a"}, queue.Outgoing{Body: "2", Group: "a"}, queue.Outgoing{Body: "3", Group: "b"}, queue.Outgoing{Body: "4", Group: "a"})
	for _, wrong := range [][]string{{ids[1]}, {ids[0], ids[3]}, {ids[0], ids[2]}, {ids[0], ids[0]}} {
		if _, err := q.ReceiveThese(wrong...); err == nil {
			t.Errorf("%v were received, which are not the next of one group", wrong)
		}
	}
	msgs, err := q.ReceiveThese(ids[0], ids[1])
	if err != nil || len(msgs) != 2 {
		t.Fatalf("received %v, %v", msgs, err)
	}
	if _, err := q.ReceiveThese(ids[3]); err == nil {
		t.Error("a message was received whose group has some in flight")
	}
	// The other group is free, and this one again when its batch is done.
	if left, _ := q.Receive(t.Context(), 10, 0); len(left) != 1 || left[0].ID != ids[2] {
		t.Errorf("%v is left to receive, not %s alone", left, ids[2])
	}
	for _, m := range msgs {
		if err := q.Delete(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if next, err := q.ReceiveThese(ids[3]); err != nil || len(next) != 1 {
		t.Errorf("received %v, %v", next, err)
	}
}

func TestASnapshotShowsThePositionOfEachMessage(t *testing.T) {
	t.Parallel()
	clock := newClock()
	q := opened(t, memory.Options{Clock: clock, Visibility: time.Hour})
	ids := send(t, q, queue.Outgoing{Body: "1"}, queue.Outgoing{Body: "2", Delay: time.Minute}, queue.Outgoing{Body: "3"})
	if _, err := q.ReceiveThese(ids[0]); err != nil {
		t.Fatal(err)
	}
	got := q.Snapshot()
	if len(got) != 3 || got[0].Visible || got[1].Visible || !got[2].Visible {
		t.Fatalf("%+v", got)
	}
	if now := clock.Now(); !got[0].Due.Equal(now.Add(time.Hour)) || !got[1].Due.Equal(now.Add(time.Minute)) || !got[2].Due.IsZero() {
		t.Errorf("due %s, %s, %s", got[0].Due, got[1].Due, got[2].Due)
	}
	if got[0].ReceiveCount != 1 || got[1].ReceiveCount != 0 {
		t.Errorf("received %d and %d times", got[0].ReceiveCount, got[1].ReceiveCount)
	}
}

func TestAnInheritedMessageKeepsItsAgeOnAStandardQueueAlone(t *testing.T) {
	t.Parallel()
	for _, fifo := range []bool{false, true} {
		clock := newClock()
		var gone []string
		dead := opened(t, memory.Options{Name: "dead", Clock: clock, FIFO: fifo, Retention: 14 * time.Hour, Expired: func(m queue.Message) { gone = append(gone, m.ID) }})
		m := queue.Message{ID: "q-7", Body: "x", Sender: "somebody", SentAt: clock.Now(), Attributes: map[string]string{"a": "b"}}
		if fifo {
			m.Group = "g"
		}
		clock.Advance(10 * time.Hour)
		if !dead.Inherit(m) || dead.Inherit(m) {
			t.Fatalf("FIFO %t: it is taken in once", fifo)
		}
		want := m.SentAt
		if fifo {
			want = clock.Now()
		}
		got := dead.Peek()
		if len(got) != 1 || got[0].ID != m.ID || got[0].Group != m.Group || got[0].Sender != m.Sender || got[0].Attributes["a"] != "b" || !got[0].SentAt.Equal(want) {
			t.Errorf("FIFO %t: %+v, sent %s, want %s", fifo, got, got[0].SentAt, want)
		}
		clock.Advance(5 * time.Hour)
		if left := dead.Counts().Total() == 1; left != fifo || len(gone) == 1 == fifo {
			t.Errorf("FIFO %t: after 15 hours it is there: %t; gone are %v", fifo, left, gone)
		}
	}
}

func TestRemoveTakesAMessageOutInAnyState(t *testing.T) {
	t.Parallel()
	clock := newClock()
	q := opened(t, memory.Options{Clock: clock})
	ids := send(t, q, queue.Outgoing{Body: "1"}, queue.Outgoing{Body: "2"}, queue.Outgoing{Body: "3", Delay: time.Minute})
	if _, err := q.ReceiveThese(ids[0]); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !q.Remove(id) || q.Remove(id) {
			t.Errorf("%s is not removed once", id)
		}
	}
	clock.Advance(time.Hour)
	if c := q.Counts(); c != (memory.Counts{}) {
		t.Errorf("%+v are left", c)
	}
}

func TestRememberedIsWhatWouldBeDeduplicated(t *testing.T) {
	t.Parallel()
	clock := newClock()
	q := opened(t, memory.Options{Clock: clock, FIFO: true})
	ids := send(t, q, queue.Outgoing{Body: "1", Group: "a", DedupID: "x"}, queue.Outgoing{Body: "2", Group: "a", DedupID: "x"})
	if got := q.Remembered(); len(got) != 1 || got["a\nx"] != ids[0] {
		t.Errorf("remembered %v", got)
	}
	clock.Advance(journal.DedupWindow)
	if got := q.Remembered(); len(got) != 0 {
		t.Errorf("still remembered %v", got)
	}
}
