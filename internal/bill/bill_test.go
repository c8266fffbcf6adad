package bill_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/queue"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// sink accepts every message.
type sink struct {
	queue.Queue
	fifo bool
}

func (q sink) FIFO() bool                                                         { return q.fifo }
func (sink) Send(context.Context, ...queue.Outgoing) error                        { return nil }
func (sink) Delete(context.Context, queue.Message) error                          { return nil }
func (sink) SetVisibility(context.Context, time.Duration, ...queue.Message) error { return nil }

func messages(n, bytes int, group string) (out []queue.Outgoing) {
	for range n {
		out = append(out, queue.Outgoing{Body: strings.Repeat("x", bytes), Group: group})
	}
	return out
}

func TestRequestsOfSQSAreCountedByTheCallAndBy64KB(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		fifo     bool
		do       func(q queue.Queue) error
		requests float64
	}{
		{"one message", false, func(q queue.Queue) error { return q.Send(t.Context(), messages(1, 100, "")...) }, 1},
		{"ten share a call", false, func(q queue.Queue) error { return q.Send(t.Context(), messages(10, 100, "")...) }, 1},
		{"eleven are two calls", false, func(q queue.Queue) error { return q.Send(t.Context(), messages(11, 100, "")...) }, 2},
		{"each 64 KB of a call", false, func(q queue.Queue) error { return q.Send(t.Context(), messages(10, 64<<10/10+1, "")...) }, 2},
		{"one message of 64 KB and a byte", true, func(q queue.Queue) error { return q.Send(t.Context(), messages(1, 64<<10+1, "a")...) }, 2},
		{"those of one FIFO group go one after the other", true, func(q queue.Queue) error { return q.Send(t.Context(), messages(3, 100, "a")...) }, 3},
		{"visibility of twelve", true, func(q queue.Queue) error { return q.SetVisibility(t.Context(), 0, make([]queue.Message, 12)...) }, 2},
		{"a delete", true, func(q queue.Queue) error { return q.Delete(t.Context(), queue.Message{}) }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m bill.Meter
			if err := c.do(m.Queue(sink{fifo: c.fifo})); err != nil {
				t.Fatal(err)
			}
			is, isNot := bill.Standard, bill.FIFO
			if c.fifo {
				is, isNot = isNot, is
			}
			if b := m.Bill(); b.Of(is) != c.requests || b.Of(isNot) != 0 {
				t.Errorf("%v %s and %v %s, want %v and 0", b.Of(is), is.Unit(), b.Of(isNot), isNot.Unit(), c.requests)
			}
		})
	}
}

func TestWritesAreCountedByTheKBAndTwiceInATransaction(t *testing.T) {
	t.Parallel()
	var m bill.Meter
	s := m.Store(storememory.New())
	start := history.Event{EventID: 1, Kind: history.OrchestrationStarted, Name: "Main", Payload: []byte(`"x"`), Start: &history.Start{}}
	if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Events: []history.Event{start}, Messaged: true, Token: "t1"}},
		Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &store.Record{Instance: "a", ExecutionID: 1, Name: "Main", Status: store.StatusRunning}}}); err != nil {
		t.Fatal(err)
	}
	if got := m.Bill().Of(bill.WriteUnits); got != 2*(1+1+3) {
		t.Errorf("a start costs %v write units, want twice one for the turn, one for the record and three for the entries of indexes", got)
	}
	before := m.Bill()
	event := history.Event{EventID: 2, Kind: history.ExternalEvent, Name: "e", Payload: fmt.Appendf(nil, "%q", strings.Repeat("y", 1500))}
	if err := s.Commit(t.Context(), store.Commit{Turns: []store.Turn{{Instance: "a", ExecutionID: 1, Events: []history.Event{event}, Messaged: true, Token: "t2"}}}); err != nil {
		t.Fatal(err)
	}
	if got := m.Bill().Minus(before).Of(bill.WriteUnits); got != 2 {
		t.Errorf("a turn of 1.5 KB costs %v write units, want 2", got)
	}
	if _, err := s.Read(t.Context(), "a", 1, 1); err != nil {
		t.Fatal(err)
	}
	if got := m.Bill().Of(bill.ReadUnits); got != 1 {
		t.Errorf("reading 2 KB costs %v read units, want 1", got)
	}
}

func TestAnswersAreCountedByTheKB(t *testing.T) {
	t.Parallel()
	var m bill.Meter
	s := m.Store(storememory.New())
	answer := func(id string, event int64, size int) store.Answer {
		return store.Answer{AnswerKey: store.AnswerKey{Instance: "a", StartID: "s", ID: id}, ExecutionID: 1, ExpiresAt: time.Unix(4e9+1, 0),
			Event: history.Event{EventID: event, Kind: history.SystemCall, Op: history.OpAcceptUpdate, Payload: fmt.Appendf(nil, "%q", strings.Repeat("y", size))}}
	}
	key := func(id string) store.AnswerKey { return answer(id, 0, 0).AnswerKey }
	for _, c := range []struct {
		name          string
		do            func() error
		reads, writes float64
	}{
		{"an answer", func() error { return s.PutAnswer(t.Context(), answer("u", 5, 10)) }, 0, 1},
		{"one of 1.5 KB replaces it", func() error { return s.PutAnswer(t.Context(), answer("u", 6, 1500)) }, 0, 2},
		{"an earlier one does not replace it", func() error { return s.PutAnswer(t.Context(), answer("u", 5, 10)) }, 0, 2},
		{"a read", func() error { _, err := s.ReadAnswer(t.Context(), key("u")); return err }, 1, 0},
		{"an answer to another update", func() error { return s.PutAnswer(t.Context(), answer("v", 7, 10)) }, 0, 1},
		{"a delete of both", func() error { _, err := s.DeleteAnswers(t.Context(), "a", 0); return err }, 1, 3},
		{"a delete of none", func() error { _, err := s.DeleteAnswers(t.Context(), "a", 0); return err }, 1, 0},
	} {
		before := m.Bill()
		if err := c.do(); err != nil {
			t.Fatal(c.name, err)
		}
		b := m.Bill().Minus(before)
		if b.Of(bill.ReadUnits) != c.reads || b.Of(bill.WriteUnits) != c.writes {
			t.Errorf("%s costs %v read units and %v write units, want %v and %v", c.name, b.Of(bill.ReadUnits), b.Of(bill.WriteUnits), c.reads, c.writes)
		}
	}
	if _, err := s.ReadAnswer(t.Context(), key("u")); !errors.Is(err, store.ErrNoAnswer) {
		t.Error(err)
	}
	encoder := dynamo.NewEncoder(dynamo.Config{})
	for _, size := range []int{1, 900, 5000} {
		a := answer("some-update", 12, size)
		item, err := encoder.Answer(&a)
		if err != nil {
			t.Fatal(err)
		}
		if got := bill.AnswerSize(&a); got != item.Size && got != item.Size+1 {
			t.Errorf("an answer of %d bytes is counted as %d, want %d", size, got, item.Size)
		}
	}
}

func TestABillAddsUpToItsLines(t *testing.T) {
	t.Parallel()
	var m bill.Meter
	m.Invoked(1500*time.Microsecond, 512)
	if _, err := m.Log().Write(make([]byte, 74)); err != nil || m.Bill().Of(bill.LogBytes) != 100 {
		t.Errorf("a line of 74 bytes counts as %v (%v), want 100", m.Bill().Of(bill.LogBytes), err)
	}
	m.Fired(timer.Schedule{Body: "{}"})
	b := m.Bill()
	if got, want := b.Of(bill.GBSeconds), 0.001; got != want {
		t.Errorf("%v GB-seconds of 1.5 ms with half a GB, want %v: milliseconds are rounded up", got, want)
	}
	sum := 0.0
	for _, i := range bill.Items() {
		sum += b.Of(i) * i.Price() / 1e6
	}
	if sum == 0 || b.Dollars() != sum {
		t.Errorf("$%v, and its items are $%v", b.Dollars(), sum)
	}
	if (bill.Bill{}).Dollars() != 0 || b.Minus(b) != (bill.Bill{}) {
		t.Error("nothing costs something")
	}
}
