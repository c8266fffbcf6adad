package stack

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/bill"
	"github.com/turnstile-go/turnstile/queue"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/timer"
)

// What calls take, and what an invocation takes besides.
const (
	ofSQS       = 8 * time.Millisecond
	ofDynamoDB  = 3 * time.Millisecond
	ofScheduler = 25 * time.Millisecond
	ofCode      = time.Millisecond
)

// The services, slow as they are.
type slowStore struct {
	store.Store
	stack *Stack
}

func (s slowStore) Commit(ctx context.Context, c store.Commit) error {
	time.Sleep(ofDynamoDB)
	err := s.Store.Commit(ctx, c)
	if err == nil {
		s.stack.turns.Add(int64(len(c.Turns)))
	}
	return err
}

func (s slowStore) UpdateRecord(ctx context.Context, instance string, c store.RecordChange) error {
	time.Sleep(ofDynamoDB)
	return s.Store.UpdateRecord(ctx, instance, c)
}

func (s slowStore) Describe(ctx context.Context, instance string) (store.Record, error) {
	time.Sleep(ofDynamoDB)
	return s.Store.Describe(ctx, instance)
}

func (s slowStore) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	time.Sleep(ofDynamoDB)
	return s.Store.Read(ctx, instance, executionID, from)
}

type slowActivities struct{ store.Activities }

func (s slowActivities) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	time.Sleep(ofDynamoDB)
	return s.Activities.State(ctx, key)
}

type slowQueue struct {
	queue.Queue
	stack *Stack
}

func (q slowQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	pending := make([]int, len(msgs))
	for i := range pending {
		pending[i] = i
	}
	for len(pending) > 0 {
		_, pending = queue.NextBatch(q.FIFO(), msgs, pending)
		time.Sleep(ofSQS)
	}
	q.stack.messages.Add(int64(len(msgs)))
	return q.Queue.Send(ctx, msgs...)
}

func (q slowQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	time.Sleep(ofSQS)
	return q.Queue.SetVisibility(ctx, d, msgs...)
}

type slowTimer struct{ timer.Timer }

func (t slowTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	time.Sleep(ofScheduler)
	return t.Timer.Schedule(ctx, s)
}

func (t slowTimer) Cancel(ctx context.Context, name string) error {
	time.Sleep(ofScheduler)
	return t.Timer.Cancel(ctx, name)
}

// outside is the orchestrator queue as a client has it, who waits for it
// elsewhere.
type outside struct {
	queue.Queue
	stack *Stack
}

func (q outside) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	q.stack.messages.Add(int64(len(msgs)))
	return q.Queue.Send(ctx, msgs...)
}

// unmetered takes back what it counts: Lambda's deletes go in one call.
type unmetered struct {
	queue.Queue
	meter *bill.Meter
}

func (q unmetered) Delete(ctx context.Context, m queue.Message) error {
	err := q.Queue.Delete(ctx, m)
	item := bill.Standard
	if q.FIFO() {
		item = bill.FIFO
	}
	q.meter.Add(item, -1)
	return err
}
