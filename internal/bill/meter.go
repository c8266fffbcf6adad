package bill

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/store"
)

// Meter counts usage. Its zero value is ready to use. It is safe for concurrent use.
type Meter struct {
	mu   sync.Mutex
	bill Bill
}

// Bill returns what was counted so far.
func (m *Meter) Bill() Bill {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bill
}

// Add adds n to the count of an item.
func (m *Meter) Add(i Item, n float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bill.counts[i] += n
}

// Request counts a call, and n units of the item that it is charged as.
func (m *Meter) Request(i Item, n float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bill.requests++
	m.bill.counts[i] += n
}

// chunk is the payload that SQS charges as one request, in bytes.
const chunk = 64 << 10

func sqs(fifo bool) Item {
	if fifo {
		return FIFO
	}
	return Standard
}

// Queue returns q with its calls counted: a Send as one call per batch, a SetVisibility as
// one per 10 messages, and each Delete as one. It does not count receives: whatever
// delivers a batch counts them with Delivered.
func (m *Meter) Queue(q queue.Queue) queue.Queue { return metered{q, m} }

type metered struct {
	queue.Queue
	m *Meter
}

func (q metered) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	pending := make([]int, len(msgs))
	for i := range pending {
		pending[i] = i
	}
	for len(pending) > 0 {
		var batch []int
		batch, pending = queue.NextBatch(q.FIFO(), msgs, pending)
		bytes := 0
		for _, i := range batch {
			bytes += msgs[i].Size()
		}
		q.m.Request(sqs(q.FIFO()), chunks(bytes))
	}
	return q.Queue.Send(ctx, msgs...)
}

func (q metered) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	for n := 0; n < len(msgs); n += queue.MaxBatch {
		q.m.Request(sqs(q.FIFO()), 1)
	}
	return q.Queue.SetVisibility(ctx, d, msgs...)
}

func (q metered) Delete(ctx context.Context, msg queue.Message) error {
	q.m.Request(sqs(q.FIFO()), 1)
	return q.Queue.Delete(ctx, msg)
}

func chunks(bytes int) float64 { return units(bytes, chunk) }

func units(size, unit int) float64 { return float64(max((size+unit-1)/unit, 1)) }

// Delivered counts that an event source has received a batch of at most 10 messages, and
// that it deletes the processed ones in one call, as Lambda does.
func (m *Meter) Delivered(fifo bool, batch []queue.Message, done int) {
	bytes := 0
	for i := range batch {
		bytes += queue.Outgoing{Body: batch[i].Body, Attributes: batch[i].Attributes}.Size()
	}
	m.Request(sqs(fifo), chunks(bytes))
	if done > 0 {
		m.Request(sqs(fifo), 1)
	}
}

// Invoked counts an invocation, by its duration and the memory of its function.
func (m *Meter) Invoked(took time.Duration, memoryMB int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bill.requests++
	m.bill.counts[Invocations]++
	ms := float64(max((took+time.Millisecond-1)/time.Millisecond, 1))
	m.bill.counts[GBSeconds] += ms / 1000 * float64(memoryMB) / 1024
}

// Log returns a writer for the log of a function: each Write counts as one log event, with
// the bytes that CloudWatch ingests for it.
func (m *Meter) Log() io.Writer { return log{m} }

type log struct{ m *Meter }

func (l log) Write(line []byte) (int, error) {
	l.m.Add(LogBytes, float64(len(line)+logOverhead))
	return len(line), nil
}

// Fired counts a schedule that fired: its invocation, and the message that Scheduler sends
// to the FIFO queue.
func (m *Meter) Fired(s timer.Schedule) {
	m.Request(Schedules, 1)
	m.Request(FIFO, chunks(len(s.Body)))
}

// Timer returns t with its calls counted as requests that cost nothing.
func (m *Meter) Timer(t timer.Timer) timer.Timer { return meteredTimer{t, m} }

type meteredTimer struct {
	timer.Timer
	m *Meter
}

func (t meteredTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	t.m.Request(Schedules, 0)
	return t.Timer.Schedule(ctx, s)
}

func (t meteredTimer) Cancel(ctx context.Context, name string) error {
	t.m.Request(Schedules, 0)
	return t.Timer.Cancel(ctx, name)
}

// Activities returns a with its calls counted: a read unit per read, and a write unit for
// each KB written.
func (m *Meter) Activities(a store.Activities) store.Activities { return meteredActivities{a, m} }

type meteredActivities struct {
	store.Activities
	m *Meter
}

func (a meteredActivities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	a.m.Request(WriteUnits, units(len(reason)+activityItem, writeUnit))
	return a.Activities.RequestStop(ctx, key, reason, expiresAt)
}

func (a meteredActivities) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	state, err := a.Activities.State(ctx, key)
	a.m.Request(ReadUnits, units(len(state.Beat.Details)+len(state.StopReason)+activityItem, readUnit))
	return state, err
}

func (a meteredActivities) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (store.ActivityState, error) {
	a.m.Request(WriteUnits, units(len(beat.Details)+activityItem, writeUnit))
	return a.Activities.Heartbeat(ctx, key, beat, expiresAt)
}

func (a meteredActivities) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	a.m.Request(WriteUnits, 1)
	return a.Activities.SetSuspect(ctx, key, suspect, expiresAt)
}

func (a meteredActivities) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	a.m.Request(WriteUnits, units(len(next.Message)+activityItem, writeUnit))
	return a.Activities.NoteNext(ctx, key, next, expiresAt)
}

func (a meteredActivities) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	a.m.Request(WriteUnits, 1)
	return a.Activities.Claim(ctx, key, claim, expiresAt)
}

// activityItem is the approximate size of the other attributes of an activity's item, in
// bytes.
const activityItem = 200
