package world

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/queue"
	queuememory "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queue/queuetest"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/store/storetest"
	"github.com/turnstile-go/turnstile/internal/timer"
	timermemory "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/timer/timertest"
	"github.com/turnstile-go/turnstile/store"
)

// The boundary of a simulated process passes the conformance suites of the real stores,
// queues and timers, so that the host is tested against the behavior that it meets in
// production.

// calls makes calls across the boundary of a process as its invocations do: each in a
// coroutine, one at a time.
type calls struct {
	mu *sync.Mutex
	p  *Process
}

// newCalls returns a process of a world in which only the faults that the source decides
// happen.
func newCalls(t *testing.T, decides choice.Source) calls {
	w := New(choice.Choices{Source: decides}, Options{Watch: quietly})
	t.Cleanup(w.Close)
	return calls{new(sync.Mutex), &Process{W: w, Name: "tested", clock: skewed{Virtual: w.Clock}, Seen: map[ledger.Execution]int64{}}}
}

func (c calls) do(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	inv := &Invocation{P: c.p}
	c.p.Running = inv
	inv.routine = c.p.W.routine(func() { f(); inv.done = true })
	for !inv.done {
		inv.routine.resume()
	}
	c.p.W.routines = append(c.p.W.routines, inv.routine)
	c.p.Running = nil
}

// plainly is the source of a world without faults.
type plainly struct{}

func (plainly) Choose(choice.Spot, int) int { return 0 }

// failing gives each call that may have it a fault, up to left times.
type failing struct {
	fault fault.Kind
	left  int
}

func (f *failing) Choose(at choice.Spot, n int) int {
	if at.Area() != choice.OfFault || f.left == 0 {
		return 0
	}
	for _, faults := range fault.OfCalls {
		for i, candidate := range faults {
			if n == len(faults)+1 && candidate == f.fault {
				f.left--
				return i + 1
			}
		}
	}
	return 0
}

type testedStore struct {
	store.Store
	calls calls
}

func newTestedStore(t *testing.T, decides choice.Source, over store.Store) testedStore {
	c := newCalls(t, decides)
	if over != nil {
		c.p.W.Store = over.(testedStore).calls.p.W.Store
	}
	return testedStore{simStore{c.p.W.Store, c.p}, c}
}

func (s testedStore) Commit(ctx context.Context, c store.Commit) (err error) {
	s.calls.do(func() { err = s.Store.Commit(ctx, c) })
	return err
}

func (s testedStore) Read(ctx context.Context, instance string, executionID, from int64) (turns []store.Turn, err error) {
	s.calls.do(func() { turns, err = s.Store.Read(ctx, instance, executionID, from) })
	return turns, err
}

func (s testedStore) Describe(ctx context.Context, instance string) (r store.Record, err error) {
	s.calls.do(func() { r, err = s.Store.Describe(ctx, instance) })
	return r, err
}

func (s testedStore) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (at store.Isolated, err error) {
	s.calls.do(func() { at, err = s.Store.ReadIsolated(ctx, instance, executionID, eventID) })
	return at, err
}

func (s testedStore) List(ctx context.Context, q store.ListQuery) (page store.ListPage, err error) {
	s.calls.do(func() { page, err = s.Store.List(ctx, q) })
	return page, err
}

func (s testedStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) (err error) {
	s.calls.do(func() { err = s.Store.UpdateRecord(ctx, instance, change) })
	return err
}

func (s testedStore) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) (err error) {
	s.calls.do(func() { err = s.Store.Hide(ctx, instance, executionID, freeAt) })
	return err
}

func (s testedStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	s.calls.do(func() { done, err = s.Store.DeleteHistory(ctx, instance, upTo, limit) })
	return done, err
}

func (s testedStore) PutAnswer(ctx context.Context, a store.Answer) (err error) {
	s.calls.do(func() { err = s.Store.PutAnswer(ctx, a) })
	return err
}

func (s testedStore) ReadAnswer(ctx context.Context, key store.AnswerKey) (a store.Answer, err error) {
	s.calls.do(func() { a, err = s.Store.ReadAnswer(ctx, key) })
	return a, err
}

func (s testedStore) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	s.calls.do(func() { done, err = s.Store.DeleteAnswers(ctx, instance, limit) })
	return done, err
}

// S-01 to S-16.
func TestTheStoreOfAProcessConforms(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Options{
		Open:   func(t *testing.T) store.Store { return newTestedStore(t, plainly{}, nil) },
		Reopen: func(t *testing.T, s store.Store) store.Store { return newTestedStore(t, plainly{}, s) },
		LoseAnswers: func(t *testing.T, s store.Store, n int) store.Store {
			return newTestedStore(t, &failing{fault.AnswerLost, n}, s)
		},
		Throttle: func(t *testing.T, s store.Store) store.Store {
			return newTestedStore(t, &failing{fault.Unavailable, -1}, s)
		},
	})
}

type testedStops struct {
	store.Activities
	calls calls
}

func (s testedStops) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) (err error) {
	s.calls.do(func() { err = s.Activities.RequestStop(ctx, key, reason, expiresAt) })
	return err
}

func (s testedStops) State(ctx context.Context, key store.ActivityKey) (state store.ActivityState, err error) {
	s.calls.do(func() { state, err = s.Activities.State(ctx, key) })
	return state, err
}

func (s testedStops) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) (err error) {
	s.calls.do(func() { err = s.Activities.NoteNext(ctx, key, next, expiresAt) })
	return err
}

func (s testedStops) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (state store.ActivityState, err error) {
	s.calls.do(func() { state, err = s.Activities.Heartbeat(ctx, key, beat, expiresAt) })
	return state, err
}

func (s testedStops) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) (err error) {
	s.calls.do(func() { err = s.Activities.Claim(ctx, key, claim, expiresAt) })
	return err
}

func (s testedStops) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) (err error) {
	s.calls.do(func() { err = s.Activities.SetSuspect(ctx, key, suspect, expiresAt) })
	return err
}

func TestTheActivitiesOfAProcessConform(t *testing.T) {
	t.Parallel()
	storetest.RunActivities(t, func(t *testing.T) store.Activities {
		c := newCalls(t, plainly{})
		return testedStops{simStops{c.p.W.stops, c.p}, c}
	}, func() time.Time { return epoch })
}

type testedQueue struct {
	processQueue
	calls calls
}

func (q testedQueue) Send(ctx context.Context, msgs ...queue.Outgoing) (err error) {
	q.calls.do(func() { err = q.processQueue.Send(ctx, msgs...) })
	return err
}

func (q testedQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) (err error) {
	q.calls.do(func() { err = q.processQueue.SetVisibility(ctx, d, msgs...) })
	return err
}

func (q testedQueue) Delete(ctx context.Context, m queue.Message) (err error) {
	q.calls.do(func() { err = q.processQueue.Delete(ctx, m) })
	return err
}

// The suite sleeps, so the queue uses the time of the bubble, not that of the
// world.
func TestTheQueuesOfAProcessConform(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, o queuememory.Options) *Queue {
		c := newCalls(t, plainly{})
		q, err := queuememory.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return &Queue{Queue: q, w: c.p.W, Name: o.Name}
	}
	tested := func(t *testing.T, q *Queue) queue.Queue {
		c := newCalls(t, plainly{})
		q.w = c.p.W
		return testedQueue{processQueue{q, c.p}, c}
	}
	queuetest.Run(t, queuetest.Harness{
		Within:      synctest.Test,
		VirtualTime: true,
		Grain:       time.Second,
		Open: func(t *testing.T, s queuetest.Spec) (queue.Queue, queue.Queue) {
			o := queuememory.Options{Name: "tested", FIFO: s.FIFO, Visibility: s.Visibility, MaxReceiveCount: s.MaxReceive}
			if s.MaxReceive == 0 {
				return tested(t, open(t, o)), nil
			}
			dead := open(t, queuememory.Options{Name: "dead", FIFO: s.FIFO})
			o.DeadLetter = dead.Queue
			return tested(t, open(t, o)), tested(t, dead)
		},
	})
}

type testedTimer struct {
	timer.Timer
	calls calls
}

func (s testedTimer) Schedule(ctx context.Context, what timer.Schedule) (err error) {
	s.calls.do(func() {
		// The world uses the time of the bubble.
		s.calls.p.W.Clock = clock.NewVirtual(time.Now())
		err = s.Timer.Schedule(ctx, what)
	})
	return err
}

func (s testedTimer) Cancel(ctx context.Context, name string) (err error) {
	s.calls.do(func() { err = s.Timer.Cancel(ctx, name) })
	return err
}

// The suite for timers, with one that refuses times in the past, as Scheduler does.
func TestTheTimerOfAProcessConforms(t *testing.T) {
	t.Parallel()
	timertest.Run(t, timertest.Harness{
		Within: synctest.Test,
		Soon:   3 * time.Minute,
		Open: func(t *testing.T) timertest.Opened {
			c := newCalls(t, plainly{})
			delivered := make(chan timer.Schedule, 1000)
			tm, err := timermemory.New(timermemory.Options{RefusePast: true, Deliver: func(_ context.Context, s timer.Schedule) error {
				delivered <- s
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(tm.Close)
			return timertest.Opened{Timer: testedTimer{simTimer{tm, c.p}, c}, Next: func(wait time.Duration) (body, group string, ok bool) {
				select {
				case s := <-delivered:
					return s.Body, s.Group, true
				case <-time.After(max(wait, 5*time.Minute)):
					return "", "", false
				}
			}}
		},
	})
}
