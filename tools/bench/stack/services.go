package stack

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/store"
)

// What calls take, on average where they vary, and what an invocation takes besides.
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
	s.stack.latency.take(ofDynamoDB, "commit", c.Turns[0].Instance)
	err := s.Store.Commit(ctx, c)
	if err == nil {
		s.stack.turns.Add(int64(len(c.Turns)))
	}
	return err
}

func (s slowStore) UpdateRecord(ctx context.Context, instance string, c store.RecordChange) error {
	s.stack.latency.take(ofDynamoDB, "update", instance)
	return s.Store.UpdateRecord(ctx, instance, c)
}

func (s slowStore) PutAnswer(ctx context.Context, a store.Answer) error {
	s.stack.latency.take(ofDynamoDB, "answer", a.Instance)
	return s.Store.PutAnswer(ctx, a)
}

func (s slowStore) Describe(ctx context.Context, instance string) (store.Record, error) {
	s.stack.latency.take(ofDynamoDB, "describe", instance)
	return s.Store.Describe(ctx, instance)
}

func (s slowStore) Read(ctx context.Context, instance string, executionID, from int64) ([]store.Turn, error) {
	s.stack.latency.take(ofDynamoDB, "read", instance)
	return s.Store.Read(ctx, instance, executionID, from)
}

type slowActivities struct {
	store.Activities
	stack *Stack
}

func (s slowActivities) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	s.stack.latency.take(ofDynamoDB, "state", key.Instance)
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
		var batch []int
		batch, pending = queue.NextBatch(q.FIFO(), msgs, pending)
		q.stack.latency.take(ofSQS, "send", target(msgs[batch[0]].Body))
	}
	q.stack.messages.Add(int64(len(msgs)))
	return q.Queue.Send(ctx, msgs...)
}

func (q slowQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	q.stack.latency.take(ofSQS, "visibility", target(msgs[0].Body))
	return q.Queue.SetVisibility(ctx, d, msgs...)
}

type slowTimer struct {
	timer.Timer
	stack *Stack
}

func (t slowTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	t.stack.latency.take(ofScheduler, "schedule", s.Name)
	return t.Timer.Schedule(ctx, s)
}

func (t slowTimer) Cancel(ctx context.Context, name string) error {
	t.stack.latency.take(ofScheduler, "unschedule", name)
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
