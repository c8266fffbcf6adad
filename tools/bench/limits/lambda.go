package limits

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/bill"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// What calls take on average, and what an invocation takes beside its handler: the receive that
// finds its messages, the start of a warm function, and the delete that follows.
const (
	ofSQS      = 8 * time.Millisecond
	ofDynamoDB = 4 * time.Millisecond
	ofInvoke   = 5 * time.Millisecond
)

// row is a workload: so many activities of one key, all sent at once.
type row struct {
	name        string
	policy      history.Retry
	length      time.Duration
	invocations int
	n           int
	// ideal is how long it takes if nothing is lost.
	ideal time.Duration
}

// counted is what a row took.
type counted struct {
	took    time.Duration
	running int // at once, at most
	// inSpan is how many began within the span of a rate, at most.
	inSpan int
	// of an activity.
	writes, reads float64
	// peakWrites and peakReads are the most units in a second of one item.
	peakWrites, peakReads float64
	bill                  bill.Bill
	// overtaken is by how many others an activity was overtaken that were sent later: 99 of 100 by no more.
	overtaken int
}

// share of what the limit allows that the row has reached.
func (c *counted) share(r *row) float64 { return r.ideal.Seconds() / c.took.Seconds() }

// lambda is the activity function with its queue and table.
type lambda struct {
	t         testing.TB
	row       *row
	meter     bill.Meter
	random    *rand.Rand
	mu        sync.Mutex
	startedAt time.Time
	// units by item and second.
	written, read map[itemSecond]float64
	size          map[store.ActivityKey]int
	table         *storememory.Activities
	running, most int
	starts        []time.Time
	order         []int64
	ended         int
	last          time.Time
	done          chan struct{}
}

type itemSecond struct {
	item   store.ActivityKey
	second int64
}

// slow waits for as long as a call of this mean takes: half of it to one and a half times.
func (l *lambda) slow(mean time.Duration) {
	l.mu.Lock()
	d := mean/2 + time.Duration(l.random.Int64N(int64(mean)))
	l.mu.Unlock()
	time.Sleep(d)
}

// run makes a row.
func run(t *testing.T, r *row) counted {
	l := &lambda{t: t, row: r, random: rand.New(rand.NewPCG(1, 2)), written: map[itemSecond]float64{}, read: map[itemSecond]float64{}, size: map[store.ActivityKey]int{},
		table: storememory.NewActivities(time.Now), done: make(chan struct{}), startedAt: time.Now()}
	open := func(name string, fifo bool) *queuememory.Queue {
		q, err := queuememory.New(queuememory.Options{Name: name, FIFO: fifo, Visibility: 16 * time.Minute, Clock: clock.Wall{}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	attempts := open("activity", false)
	queues := platform.Queues{Orchestrator: slowQueue{l.meter.Queue(open("fifo", true)), l}, Activity: slowQueue{l.meter.Queue(attempts), l}, ActivityDead: open("dead", false)}
	registry, err := activities.NewRegistry(activities.Activity{Name: "Work", Func: l.work})
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(r.n) {
		body, err := (&wire.Item{Kind: wire.ActivityExecute, Instance: fmt.Sprintf("order-%08d", n), ExecutionID: 1, SchedulingEventID: n + 2, Name: "Work", Attempt: 1,
			Token: "t", Input: []byte(`"input"`), ScheduledAtMS: l.startedAt.UnixMilli(), SentMS: l.startedAt.UnixMilli(), Retry: &r.policy}).Encode()
		if err == nil {
			err = attempts.Send(t.Context(), queue.Outgoing{Body: string(body)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var pollers sync.WaitGroup
	for range r.invocations {
		w, err := worker.New(worker.Config{Activities: registry, Stops: slowTable{l.table, l}, Queues: queues})
		if err != nil {
			t.Fatal(err)
		}
		pollers.Go(func() {
			for ctx.Err() == nil {
				l.poll(ctx, attempts, w)
			}
		})
	}
	select {
	case <-l.done:
	case <-time.After(20*r.ideal + time.Hour):
		t.Errorf("%d of %d have not ended after %s", r.n-l.ended, r.n, time.Since(l.startedAt))
	}
	stop()
	pollers.Wait()
	return l.counted()
}

// poll takes a batch through an invocation, as an event source does.
func (l *lambda) poll(ctx context.Context, q *queuememory.Queue, w *worker.Worker) {
	got, err := q.Receive(ctx, queue.MaxReceive, 20*time.Second)
	if err != nil || len(got) == 0 {
		return
	}
	l.slow(ofSQS)
	l.slow(ofInvoke)
	var batch []platform.Delivery
	for _, m := range got {
		batch = append(batch, platform.Delivery{Message: m, Source: platform.SourceActivity})
	}
	handling, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Minute)
	defer cancel()
	startedAt := time.Now()
	failed := w.Handle(handling, batch)
	l.meter.Invoked(time.Since(startedAt), bill.MemoryMB)
	l.meter.Delivered(false, got, len(got)-len(failed))
	if err := queue.Settle(handling, q, got, failed); err != nil && !errors.Is(err, queue.ErrReceiptExpired) {
		l.t.Error(err)
	}
}

// work is the code of the activity.
func (l *lambda) work(ctx context.Context, input []byte) ([]byte, error) {
	info, _ := activities.InfoFrom(ctx)
	l.mu.Lock()
	l.running++
	l.most = max(l.most, l.running)
	l.starts = append(l.starts, time.Now())
	l.order = append(l.order, info.EventID)
	l.mu.Unlock()
	time.Sleep(l.row.length)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	l.last = time.Now()
	if l.ended++; l.ended == l.row.n {
		close(l.done)
	}
	return []byte("1"), nil
}

func (l *lambda) counted() counted {
	c := counted{took: l.last.Sub(l.startedAt), running: l.most, bill: l.meter.Bill()}
	n := float64(l.row.n)
	for _, v := range l.written {
		c.writes += v / n
		c.peakWrites = max(c.peakWrites, v)
	}
	for _, v := range l.read {
		c.reads += v / n
		c.peakReads = max(c.peakReads, v)
	}
	span := time.Duration(l.row.policy.RateMS) * time.Millisecond
	for i := range l.starts {
		j := i
		for j < len(l.starts) && l.starts[j].Sub(l.starts[i]) < span {
			j++
		}
		c.inSpan = max(c.inSpan, j-i)
	}
	var later []int
	for i, id := range l.order {
		later = append(later, i-int(id-2))
	}
	slices.Sort(later)
	c.overtaken = later[len(later)*99/100]
	return c
}

// slowQueue is a queue whose calls take their time.
type slowQueue struct {
	queue.Queue
	l *lambda
}

func (q slowQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	q.l.slow(ofSQS)
	for i := range msgs {
		msgs[i].Delay = (msgs[i].Delay + time.Second - 1).Truncate(time.Second) // As SQS has it.
	}
	return q.Queue.Send(ctx, msgs...)
}

func (q slowQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	q.l.slow(ofSQS)
	return q.Queue.SetVisibility(ctx, d, msgs...)
}

// slowTable is the activities table: each call takes its time, and is charged by the size of its item. A
// write whose condition fails is charged too.
type slowTable struct {
	store.Activities
	l *lambda
}

func (s slowTable) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	s.l.slow(ofDynamoDB / 2)
	state, err := s.Activities.State(ctx, key)
	s.l.charge(key, bill.ReadUnits, sizeOf(key, state.Claim.Token), 4<<10)
	s.l.slow(ofDynamoDB / 2)
	return state, err
}

func (s slowTable) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	s.l.slow(ofDynamoDB / 2)
	size := sizeOf(key, claim.Token)
	s.l.mu.Lock()
	before := s.l.size[key]
	s.l.mu.Unlock()
	err := s.Activities.Claim(ctx, key, claim, expiresAt)
	if err == nil {
		s.l.mu.Lock()
		s.l.size[key] = size
		s.l.mu.Unlock()
	} else {
		size = 0
	}
	s.l.charge(key, bill.WriteUnits, max(size, before), 1<<10)
	s.l.slow(ofDynamoDB / 2)
	return err
}

// sizeOf is the size of an item that has a claim: its key, the names of its attributes, and numbers.
func sizeOf(key store.ActivityKey, token string) int {
	return len("activity") + len(key.Instance) + 4 + len("claim_attempt") + len("claim_token") + len("claim_until_ms") + len("expires_at") + 4*8 + len(token)
}

func (l *lambda) charge(key store.ActivityKey, of bill.Item, size, unit int) {
	n := float64(max((size+unit-1)/unit, 1))
	l.meter.Request(of, n)
	l.mu.Lock()
	defer l.mu.Unlock()
	at := itemSecond{key, int64(time.Since(l.startedAt) / time.Second)}
	if of == bill.WriteUnits {
		l.written[at] += n
	} else {
		l.read[at] += n
	}
}

// dollars are what a million activities cost of a service.
func (c *counted) dollars(n int, services ...string) float64 {
	sum := 0.0
	for _, i := range bill.Items() {
		if strings.Contains(strings.Join(services, " "), i.Service()) {
			sum += c.bill.Of(i) * i.Price()
		}
	}
	return sum / float64(n)
}
