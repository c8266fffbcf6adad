package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/store"
)

// errKilled is returned by the calls of a dead process; nothing handles it.
var errKilled = errors.New("the process is dead")

// faults kills a process at one of its calls: after that, no call of the process has any effect.
type faults struct {
	mu    sync.Mutex
	calls int
	dead  bool
	// killAt is the number of the call, from 1, at which the process dies; 0 for never. after: that
	// call still takes effect.
	killAt int
	after  bool
	// die decides for each call whether the process dies.
	die func() (dies, after bool)
	// fail can return an error instead of making a call.
	fail func(name string) error
	log  []string
}

// call makes one call of the process.
func (f *faults) call(name string, do func() error) error {
	f.mu.Lock()
	if f.dead {
		f.mu.Unlock()
		return errKilled
	}
	f.calls++
	f.log = append(f.log, name)
	dies, after := f.calls == f.killAt, f.after
	if f.die != nil && !dies {
		dies, after = f.die()
	}
	f.dead = dies
	f.mu.Unlock()
	if dies && !after {
		return errKilled
	}
	if f.fail != nil {
		if err := f.fail(name); err != nil {
			return err
		}
	}
	err := do()
	if dies {
		return errKilled
	}
	return err
}

func (f *faults) isDead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.dead
}

// kill kills the process now.
func (f *faults) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = true
}

type faultyStore struct {
	store.Store
	p *orchestratorProcess
}

func (s faultyStore) Commit(ctx context.Context, c store.Commit) error {
	return s.p.call("Commit", func() error {
		if f := s.p.w.beforeCommit; f != nil {
			if err := f(&c); err != nil {
				return err
			}
		}
		err := s.Store.Commit(ctx, c)
		if f := s.p.w.afterCommit; f != nil {
			err = f(&c, err)
		}
		return err
	})
}

func (s faultyStore) Read(ctx context.Context, instance string, executionID, from int64) (turns []store.Turn, err error) {
	err = s.p.call("Read", func() error {
		if s.p.w.newer {
			return fmt.Errorf("event 2: %w", history.ErrNewer)
		}
		turns, err = s.Store.Read(ctx, instance, executionID, from)
		return err
	})
	return turns, err
}

func (s faultyStore) Describe(ctx context.Context, instance string) (r store.Record, err error) {
	err = s.p.call("Describe", func() error {
		r, err = s.Store.Describe(ctx, instance)
		return err
	})
	return r, err
}

func (s faultyStore) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (at store.Isolated, err error) {
	err = s.p.call("ReadIsolated", func() error {
		at, err = s.Store.ReadIsolated(ctx, instance, executionID, eventID)
		return err
	})
	return at, err
}

func (s faultyStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	return s.p.call("UpdateRecord", func() error {
		if f := s.p.w.beforeUpdate; f != nil {
			f()
		}
		return s.Store.UpdateRecord(ctx, instance, change)
	})
}

func (s faultyStore) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	return s.p.call("Hide", func() error { return s.Store.Hide(ctx, instance, executionID, freeAt) })
}

func (s faultyStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	err = s.p.call("DeleteHistory", func() error {
		done, err = s.Store.DeleteHistory(ctx, instance, upTo, limit)
		return err
	})
	return done, err
}

func (s faultyStore) PutAnswer(ctx context.Context, a store.Answer) error {
	return s.p.call("PutAnswer", func() error { return s.Store.PutAnswer(ctx, a) })
}

func (s faultyStore) ReadAnswer(ctx context.Context, key store.AnswerKey) (a store.Answer, err error) {
	err = s.p.call("ReadAnswer", func() error {
		a, err = s.Store.ReadAnswer(ctx, key)
		return err
	})
	return a, err
}

func (s faultyStore) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	err = s.p.call("DeleteAnswers", func() error {
		done, err = s.Store.DeleteAnswers(ctx, instance, limit)
		return err
	})
	return done, err
}

type faultyStops struct {
	store.Activities
	f *faults
}

func (s faultyStops) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	return s.f.call("RequestStop", func() error { return s.Activities.RequestStop(ctx, key, reason, expiresAt) })
}

func (s faultyStops) State(ctx context.Context, key store.ActivityKey) (state store.ActivityState, err error) {
	err = s.f.call("State", func() error {
		state, err = s.Activities.State(ctx, key)
		return err
	})
	return state, err
}

func (s faultyStops) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (state store.ActivityState, err error) {
	err = s.f.call("Heartbeat", func() error {
		state, err = s.Activities.Heartbeat(ctx, key, beat, expiresAt)
		return err
	})
	return state, err
}

func (s faultyStops) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	return s.f.call("Claim", func() error { return s.Activities.Claim(ctx, key, claim, expiresAt) })
}

func (s faultyStops) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	return s.f.call("MarkSuspect", func() error { return s.Activities.SetSuspect(ctx, key, suspect, expiresAt) })
}

type faultyQueue struct {
	queue.Queue
	f    *faults
	w    *world
	name string
}

// Send sends one message per call, so that a process can die between any two messages.
func (q faultyQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if f := q.w.beforeSend; f != nil {
		if err := f(q.name, msgs); err != nil {
			return err
		}
	}
	rejected := map[int]error{}
	for i, m := range msgs {
		err := q.f.call("Send "+q.name, func() error { return q.Queue.Send(ctx, m) })
		if r, is := errors.AsType[*queue.RejectedError](err); is {
			r.Index = i
			rejected[i] = r
			continue
		}
		if err != nil {
			return err
		}
	}
	return queue.Partial(rejected, len(msgs))
}

func (q faultyQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	if !slices.ContainsFunc(msgs, func(m queue.Message) bool { return m.Receipt != "" }) {
		return nil // A test has made the deliveries: no queue has these messages.
	}
	return q.f.call("SetVisibility "+q.name, func() error { return q.Queue.SetVisibility(ctx, d, msgs...) })
}

func (q faultyQueue) Delete(ctx context.Context, m queue.Message) error {
	return q.f.call("Delete "+q.name, func() error { return q.Queue.Delete(ctx, m) })
}

type faultyTimer struct {
	timer.Timer
	f *faults
}

func (t faultyTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	return t.f.call("Schedule", func() error { return t.Timer.Schedule(ctx, s) })
}

func (t faultyTimer) Cancel(ctx context.Context, name string) error {
	return t.f.call("Cancel", func() error { return t.Timer.Cancel(ctx, name) })
}
