package worker_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/host/worker"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// hanging is a worker whose activity waits until it is released, and its queues.
type hanging struct {
	*worker.Worker
	orchestrator, activities *queuememory.Queue
	started                  atomic.Int32
	let                      chan error
	// times are the start times of attempts.
	mu    sync.Mutex
	times []time.Time
	// heeds is set if the activity's code returns when its context is cancelled.
	heeds bool
	// sent is called whenever a worker has sent an attempt; nil for nothing.
	sent func()
}

// noticed is a queue that reports each message that a worker sends.
type noticed struct {
	*queuememory.Queue
	h *hanging
}

func (q noticed) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	err := q.Queue.Send(ctx, msgs...)
	if err == nil && q.h.sent != nil {
		q.h.sent()
	}
	return err
}

func newHanging(t *testing.T, visibility time.Duration) *hanging {
	t.Helper()
	h := &hanging{let: make(chan error)}
	open := func(o queuememory.Options) *queuememory.Queue {
		q, err := queuememory.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	h.orchestrator = open(queuememory.Options{Name: "orchestrator", FIFO: true})
	h.activities = open(queuememory.Options{Name: "activities", Visibility: visibility})
	r, err := activities.NewRegistry(activities.Activity{Name: "Hang", Func: func(ctx context.Context, _ []byte) ([]byte, error) {
		h.started.Add(1)
		h.mu.Lock()
		h.times = append(h.times, time.Now())
		h.mu.Unlock()
		var stops <-chan struct{}
		if h.heeds {
			stops = ctx.Done()
		}
		select {
		case err := <-h.let:
			return []byte("1"), err
		case <-stops:
			return nil, context.Cause(ctx)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	h.Worker, err = worker.New(worker.Config{Activities: r, Stops: storememory.NewActivities(time.Now),
		Queues: platform.Queues{Orchestrator: h.orchestrator, Activity: noticed{h.activities, h}, ActivityDead: open(queuememory.Options{Name: "dead"})}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// send puts the message of an attempt into the queue.
func (h *hanging) send(t *testing.T, token string, attempt int) {
	t.Helper()
	body, err := (&wire.Item{Kind: wire.ActivityExecute, Instance: "i", ExecutionID: 1, SchedulingEventID: 2, Name: "Hang", Attempt: attempt,
		Token: token, Input: []byte("1"), ScheduledAtMS: time.Now().UnixMilli(), SentMS: time.Now().UnixMilli()}).Encode()
	if err == nil {
		err = h.activities.Send(t.Context(), queue.Outgoing{Body: string(body)})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// take handles the next message as the environment does, and reports whether it was done.
func (h *hanging) take(t *testing.T) (did bool) {
	m, err := h.activities.Receive(t.Context(), 1, 0)
	if err != nil || len(m) != 1 {
		t.Errorf("received %d messages, %v", len(m), err)
		return false
	}
	failed := h.Handle(t.Context(), []platform.Delivery{{Message: m[0], Source: platform.SourceActivity}})
	if err := queue.Settle(t.Context(), h.activities, m, failed); err != nil && !errors.Is(err, queue.ErrReceiptExpired) {
		t.Error(err)
	}
	return len(failed) == 0
}

func (h *hanging) want(t *testing.T, started int32, messages, results int) {
	t.Helper()
	if n, m, r := h.started.Load(), len(h.activities.Snapshot()), len(h.orchestrator.Snapshot()); n != started || m != messages || r != results {
		t.Errorf("%d attempts begun, %d messages left, %d results; want %d, %d, %d", n, m, r, started, messages, results)
	}
}

// A process drops a duplicate message of an attempt that it is running, because the first message stays until the result
// was sent.
func TestACopyOfARunningAttemptIsSkipped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, time.Minute)
		for range 3 {
			h.send(t, "t", 1)
		}
		go h.take(t)
		synctest.Wait()
		for range 2 {
			if !h.take(t) {
				t.Error("a copy was not done")
			}
		}
		h.want(t, 1, 1, 0)
		h.let <- nil
		synctest.Wait()
		h.want(t, 1, 0, 1)
	})
}

// A process that was killed leaves two messages of one attempt to its successor. If the second is received after the
// first was answered, the attempt runs again, and the log says so.
func TestARepeatedAttemptIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, text := newHanging(t, time.Minute), new(bytes.Buffer)
		h.Logger = slog.New(slog.NewTextHandler(text, nil))
		for i := range 2 {
			h.send(t, "t", 1)
			if strings.Contains(text.String(), "runs again") {
				t.Errorf("message %d: %s", i, text)
			}
			go h.take(t)
			synctest.Wait()
			h.let <- nil
			synctest.Wait()
		}
		h.want(t, 2, 0, 1)
		if n := strings.Count(text.String(), "runs again"); n != 1 || !strings.Contains(text.String(), "event_id=2") {
			t.Errorf("%d lines: %s", n, text)
		}
	})
}

// A requeued attempt is a new message, which another goroutine may receive before the old one is done. It is not dropped
// as a copy, because the attempt is not running.
func TestARequeuedAttemptIsNotACopyOfItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, time.Minute)
		h.sendLimited(t, 1, history.Retry{LimitKey: "k", Limit: 1})
		go h.take(t)
		synctest.Wait()
		h.sendLimited(t, 2, history.Retry{LimitKey: "k", Limit: 1})
		h.takeAll(t, 45*time.Second) // It is received, waits, and is received again.
		h.want(t, 1, 2, 0)
		rounds := 0
		h.sent = func() {
			rounds++
			for h.activities.Counts().Visible > 0 {
				h.take(t)
			}
		}
		h.takeAll(t, time.Minute)
		if rounds == 0 {
			t.Fatal("the attempt did not go round")
		}
		h.sent = nil
		h.want(t, 1, 2, 0)
		h.let <- nil
		h.takeAll(t, time.Minute)
		h.let <- nil
		synctest.Wait()
		h.want(t, 2, 0, 2)
	})
}

// A different attempt is not a copy, and neither is one with a different token.
func TestOtherAttemptsRunConcurrently(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, time.Minute)
		h.send(t, "t", 1)
		h.send(t, "other", 1)
		h.send(t, "t", 2)
		for range 3 {
			go h.take(t)
		}
		synctest.Wait()
		h.want(t, 3, 3, 0)
		for range 3 {
			h.let <- nil
		}
		synctest.Wait()
	})
}

// If the result of an attempt cannot be sent, its message stays, so the attempt runs again.
func TestAnAttemptWhoseCopyWasSkippedCanRunAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHanging(t, time.Minute)
		h.send(t, "t", 1)
		h.send(t, "t", 1)
		go h.take(t)
		synctest.Wait()
		h.take(t)
		h.want(t, 1, 1, 0)
		h.orchestrator.Close()
		h.let <- nil
		synctest.Wait()
		h.want(t, 1, 1, 0)
	})
}

// If the message itself is delivered again too early, it returns to the queue until the attempt has ended, and is then
// deleted.
func TestAMessageThatIsRedeliveredDuringItsAttemptWaitsForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const visibility = 30 * time.Second // Less than the attempt may take.
		h := newHanging(t, visibility)
		h.send(t, "t", 1)
		go h.take(t)
		synctest.Wait()
		m := h.activities.Snapshot()
		if len(m) != 1 {
			t.Fatal(m)
		}
		time.Sleep(visibility)
		if h.take(t) {
			t.Error("it was done")
		}
		h.want(t, 1, 1, 0)
		h.let <- nil
		synctest.Wait()
		h.want(t, 1, 0, 1)
	})
}
