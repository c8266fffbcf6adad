package memory_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/journal"
)

func send(t *testing.T, q *memory.Queue, msgs ...queue.Outgoing) []string {
	t.Helper()
	ids, err := q.SendIDs(t.Context(), msgs...)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func receive(t *testing.T, q *memory.Queue, want ...string) []queue.Message {
	t.Helper()
	msgs, err := q.Receive(t.Context(), queue.MaxReceive, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range msgs {
		got = append(got, m.Body)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("received %q, want %q", got, want)
	}
	return msgs
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestOptionsThatCannotBeAreNamedAllAtOnce(t *testing.T) {
	t.Parallel()
	standard := open(t, memory.Options{Name: "dead"})
	_, err := memory.New(memory.Options{Name: "orders", FIFO: true, Visibility: 13 * time.Hour, DeadLetter: standard})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`"orders"`, "13h", "maximum receive count", `"dead" must be of the same kind`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func TestQ04ADeduplicatedSendReturnsTheFirstMessagesID(t *testing.T) {
	t.Parallel()
	clock := newClock()
	q := open(t, memory.Options{Name: "orders", FIFO: true, Clock: clock})
	x := queue.Outgoing{Body: "x", Group: "a", DedupID: "x"}
	first := send(t, q, x, x)
	if first[0] != "orders-1" || first[1] != first[0] {
		t.Fatalf("ids %q, want orders-1 twice", first)
	}
	for _, m := range receive(t, q, "x") {
		if err := q.Delete(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	clock.Advance(journal.DedupWindow - 1)
	if again := send(t, q, x); again[0] != first[0] {
		t.Errorf("id %q within the window, want %q", again[0], first[0])
	}
	clock.Advance(1)
	if later := send(t, q, x); later[0] == first[0] {
		t.Errorf("id %q after the window, want a new one", later[0])
	}
}

func TestARedriveIsNeverLostToDeduplication(t *testing.T) {
	t.Parallel()
	clock := newClock()
	dead := open(t, memory.Options{Name: "dead", FIFO: true, Clock: clock})
	q := open(t, memory.Options{FIFO: true, Clock: clock, DeadLetter: dead, MaxReceiveCount: 1})
	// The dead-letter queue already had a message under the very id that the
	// redrive uses.
	send(t, dead, queue.Outgoing{Body: "other", Group: "a", DedupID: "queue-1"})
	send(t, q, queue.Outgoing{Body: "poison", Group: "a"})
	clock.Advance(journal.DedupWindow / 2)
	receive(t, q, "poison")
	clock.Advance(memory.DefaultVisibility)
	receive(t, dead, "other", "poison")
	// Its id counts for what is sent from now on, the whole window long.
	again := queue.Outgoing{Body: "again", Group: "a", DedupID: "queue-1"}
	clock.Advance(journal.DedupWindow - 1)
	if ids := send(t, dead, again); ids[0] != "queue-1" {
		t.Errorf("sent as %q, want it deduplicated to queue-1", ids[0])
	}
}

func TestCountsFollowAMessageThroughItsLife(t *testing.T) {
	t.Parallel()
	clock := newClock()
	dead := open(t, memory.Options{Name: "dead", Clock: clock})
	q := open(t, memory.Options{Clock: clock, Visibility: time.Minute, DeadLetter: dead, MaxReceiveCount: 2})
	expect := func(when string, want, wantDead memory.Counts) {
		t.Helper()
		if got, gotDead := q.Counts(), dead.Counts(); got != want || gotDead != wantDead {
			t.Fatalf("%s: %+v and %+v dead, want %+v and %+v", when, got, gotDead, want, wantDead)
		}
	}
	none := memory.Counts{}
	expect("at first", none, none)
	if _, due := q.NextDue(); due {
		t.Error("something is due in an empty queue")
	}

	send(t, q, queue.Outgoing{Body: "x", Delay: time.Second}, queue.Outgoing{Body: "y"})
	expect("after sending", memory.Counts{Visible: 1, Delayed: 1}, none)
	if due, ok := q.NextDue(); !ok || !due.Equal(clock.Now().Add(time.Second)) {
		t.Errorf("next due %v, %t", due, ok)
	}
	for _, m := range receive(t, q, "y") {
		expect("while in flight", memory.Counts{InFlight: 1, Delayed: 1}, none)
		if err := q.Delete(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	clock.Advance(time.Second)
	expect("after the delay", memory.Counts{Visible: 1}, none)
	receive(t, q, "x")
	clock.Advance(time.Minute)
	expect("after the visibility timeout", memory.Counts{Visible: 1}, none)
	receive(t, q, "x")
	clock.Advance(time.Minute)
	expect("after the last receive", none, memory.Counts{Visible: 1})
	if p := dead.Peek(); len(p) != 1 || p[0].Body != "x" || p[0].Receipt != "" || p[0].ReceiveCount != 0 {
		t.Errorf("in the dead-letter queue: %+v", p)
	}
}

func TestReadyIsClosedWhenSomethingCanBeReceived(t *testing.T) {
	t.Parallel()
	clock := newClock()
	dead := open(t, memory.Options{Name: "dead", FIFO: true, Clock: clock})
	q := open(t, memory.Options{FIFO: true, Clock: clock, Visibility: time.Minute, DeadLetter: dead, MaxReceiveCount: 2})
	ready := q.Ready()
	if closed(ready) {
		t.Fatal("an empty queue is ready")
	}
	send(t, q, queue.Outgoing{Body: "a1", Group: "a"})
	if !closed(ready) || !closed(q.Ready()) {
		t.Fatal("not ready after a send")
	}
	receive(t, q, "a1")
	ready = q.Ready()
	send(t, q, queue.Outgoing{Body: "a2", Group: "a"})
	if closed(ready) {
		t.Fatal("ready although the group is in flight")
	}
	clock.Advance(time.Minute)
	if !closed(ready) {
		t.Fatal("not ready after the visibility timeout")
	}
	receive(t, q, "a1", "a2")
	ready, deadReady := q.Ready(), dead.Ready()
	clock.Advance(time.Minute)
	if !closed(ready) || !closed(deadReady) {
		t.Fatal("not ready after a redrive: a2 here, a1 in the dead-letter queue")
	}
	receive(t, q, "a2")
	receive(t, dead, "a1")
}

func TestCloseEndsWaitingReceivers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := open(t, memory.Options{})
		got := make(chan error, 1)
		go func() {
			_, err := q.Receive(t.Context(), 1, time.Hour)
			got <- err
		}()
		synctest.Wait()
		q.Close()
		if err := <-got; !errors.Is(err, memory.ErrClosed) {
			t.Errorf("Receive: %v, want ErrClosed", err)
		}
		if err := q.Send(t.Context(), queue.Outgoing{Body: "x"}); !errors.Is(err, memory.ErrClosed) {
			t.Errorf("Send: %v, want ErrClosed", err)
		}
		if !closed(q.Ready()) {
			t.Error("Ready of a closed queue blocks")
		}
	})
}

func TestABatchTakesTheOldestGroupsFirst(t *testing.T) {
	t.Parallel()
	q := open(t, memory.Options{FIFO: true, Clock: newClock()})
	in := func(group, body string) queue.Outgoing { return queue.Outgoing{Group: group, Body: body} }
	send(t, q, in("b", "b1"), in("a", "a1"), in("b", "b2"), in("a", "a2"))
	receive(t, q, "b1", "b2", "a1", "a2")
}

func TestAReceiptIsGoodForItsDeliveryAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		fifo bool
		// over: whether the receipt has expired once the message is visible
		// again, and not yet received again.
		over bool
	}{{"FIFO: until the visibility runs out", true, true}, {"standard: until it is received again", false, false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			q := open(t, memory.Options{FIFO: c.fifo, Clock: clock})
			send(t, q, queue.Outgoing{Body: "it", Group: "a"}, queue.Outgoing{Body: "other", Group: "b"})
			old := receive(t, q, "it", "other")
			clock.Advance(memory.DefaultVisibility)
			if err := q.SetVisibility(t.Context(), 0, old[0]); !errors.Is(err, queue.ErrReceiptExpired) {
				t.Errorf("SetVisibility of a visible message: %v, want ErrReceiptExpired", err)
			}
			if err := q.Delete(t.Context(), old[1]); errors.Is(err, queue.ErrReceiptExpired) != c.over {
				t.Errorf("Delete of a visible message: %v; expired: want %t", err, c.over)
			}
			if c.over {
				receive(t, q, "it", "other")
			} else {
				receive(t, q, "it")
			}
			if err := q.Delete(t.Context(), old[0]); !errors.Is(err, queue.ErrReceiptExpired) {
				t.Errorf("Delete after a later delivery: %v, want ErrReceiptExpired", err)
			}
		})
	}
}

func TestAttributesAreCopied(t *testing.T) {
	t.Parallel()
	q := open(t, memory.Options{Clock: newClock()})
	sent := map[string]string{"k": "v"}
	send(t, q, queue.Outgoing{Body: "x", Attributes: sent})
	sent["k"] = "changed by the sender"
	q.Peek()[0].Attributes["k"] = "changed by an observer"
	if got := receive(t, q, "x")[0].Attributes["k"]; got != "v" {
		t.Errorf("attribute %q, want v", got)
	}
}
