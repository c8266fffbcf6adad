package turnstiletest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// errKilled is the error of every call of a dead process. No code of a running process receives it.
var errKilled = errors.New("turnstiletest: the process is dead")

// boundary wraps every call that leaves a process. It can kill the process at such a call. After
// that, no call of the process has any effect.
type boundary struct {
	mu      sync.Mutex
	running *task
	closed  bool
	calls   int
	// killAt is the number of the call, from 1, at which the process dies; 0 for never. If after is
	// true, the call still takes effect.
	killAt int
	after  bool
	// killed describes the call at which the process died.
	killed string
}

func (b *boundary) enter(t *task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = t
}

func (b *boundary) leave() { b.enter(nil) }

// close makes all later calls have no effect.
func (b *boundary) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// digest returns a hash of the decoded values of the current batch. It does not hash the encoded
// values, because encoding a value twice can give different bytes.
func (b *boundary) digest() [32]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := sha256.New()
	if b.running != nil {
		for _, m := range b.running.batch {
			body := b.running.env.plain(m.Body)
			fmt.Fprintf(h, "%d %s", len(body), body)
		}
	}
	return [32]byte(h.Sum(nil))
}

// isDead reports whether the process of a task was killed.
func (b *boundary) isDead(t *task) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return t.dead
}

// call makes one call.
func (b *boundary) call(what func() string, do func() error) error {
	dies, err := b.count(what)
	if err != nil {
		return err
	}
	if err := do(); err != nil || !dies {
		return err
	}
	return errKilled
}

// count counts a call. dies is true if the process dies after the call; the error is errKilled if
// the process is dead.
func (b *boundary) count(what func() string) (dies bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.running
	if b.closed || t != nil && t.dead {
		return false, errKilled
	}
	if t == nil {
		// An attempt that waits for virtual time checks whether it should stop. No working process
		// could die at that check.
		return false, nil
	}
	b.calls++
	before, behind := b.dies(t, what)
	if !before && !behind {
		return false, nil
	}
	t.dead = true
	who := "the orchestrator"
	if t.from.Is == platform.SourceActivity {
		who = "the worker"
	}
	b.killed = who + " " + what()
	if before {
		return false, errKilled
	}
	return true, nil
}

// dies reports whether the process dies before or after this call.
func (b *boundary) dies(t *task, what func() string) (before, behind bool) {
	if b.calls == b.killAt {
		return !b.after, b.after
	}
	opts := &t.env.opts
	if opts.crashBefore == nil && opts.crashAfter == nil {
		return false, false
	}
	call := Call{Number: b.calls, Invocation: t.invocation, Worker: t.from.Is == platform.SourceActivity, Action: what()}
	return opts.crashBefore != nil && opts.crashBefore(call), opts.crashAfter != nil && opts.crashAfter(call)
}

type boundedStore struct {
	store.Store
	b *boundary
	// recorded is called for each committed event, even if the process that wrote it died before it
	// could see the result.
	recorded func(instance string, e *history.Event)
	// read is called with the number of an instance's events that a process has read.
	read func(instance string, events int)
}

func (s boundedStore) Commit(ctx context.Context, c store.Commit) error {
	return s.b.call(func() string {
		t := &c.Turns[0]
		return fmt.Sprintf("commits events %d to %d of %s execution %d", t.First(), t.Last(), t.Instance, t.ExecutionID)
	}, func() error {
		if err := s.Store.Commit(ctx, c); err != nil {
			return err
		}
		for i := range c.Turns {
			t := &c.Turns[i]
			for j := range t.Events {
				s.recorded(t.Instance, &t.Events[j])
			}
		}
		return nil
	})
}

func (s boundedStore) Read(ctx context.Context, instance string, executionID, from int64) (turns []store.Turn, err error) {
	err = s.b.call(func() string { return fmt.Sprintf("reads %s execution %d", instance, executionID) }, func() error {
		turns, err = s.Store.Read(ctx, instance, executionID, from)
		return err
	})
	for i := range turns {
		s.read(instance, len(turns[i].Events))
	}
	return turns, err
}

func (s boundedStore) Describe(ctx context.Context, instance string) (r store.Record, err error) {
	err = s.b.call(func() string { return "describes " + instance }, func() error {
		r, err = s.Store.Describe(ctx, instance)
		return err
	})
	return r, err
}

func (s boundedStore) ReadIsolated(ctx context.Context, instance string, executionID, eventID int64) (at store.Isolated, err error) {
	err = s.b.call(func() string {
		return fmt.Sprintf("confirms event %d of %s execution %d", eventID, instance, executionID)
	}, func() error {
		at, err = s.Store.ReadIsolated(ctx, instance, executionID, eventID)
		return err
	})
	return at, err
}

func (s boundedStore) UpdateRecord(ctx context.Context, instance string, change store.RecordChange) error {
	return s.b.call(func() string { return "changes the record of " + instance }, func() error { return s.Store.UpdateRecord(ctx, instance, change) })
}

func (s boundedStore) Hide(ctx context.Context, instance string, executionID int64, freeAt time.Time) error {
	return s.b.call(func() string { return "hides " + instance }, func() error { return s.Store.Hide(ctx, instance, executionID, freeAt) })
}

func (s boundedStore) DeleteHistory(ctx context.Context, instance string, upTo int64, limit int) (done bool, err error) {
	err = s.b.call(func() string { return "deletes the histories of " + instance }, func() error {
		done, err = s.Store.DeleteHistory(ctx, instance, upTo, limit)
		return err
	})
	return done, err
}

func (s boundedStore) PutAnswer(ctx context.Context, a store.Answer) error {
	return s.b.call(func() string { return fmt.Sprintf("stores the answer to update %q of %s", a.ID, a.Instance) }, func() error { return s.Store.PutAnswer(ctx, a) })
}

func (s boundedStore) ReadAnswer(ctx context.Context, key store.AnswerKey) (a store.Answer, err error) {
	err = s.b.call(func() string { return fmt.Sprintf("reads the answer to update %q of %s", key.ID, key.Instance) }, func() error {
		a, err = s.Store.ReadAnswer(ctx, key)
		return err
	})
	return a, err
}

func (s boundedStore) DeleteAnswers(ctx context.Context, instance string, limit int) (done bool, err error) {
	err = s.b.call(func() string { return "deletes the answers of " + instance }, func() error {
		done, err = s.Store.DeleteAnswers(ctx, instance, limit)
		return err
	})
	return done, err
}

type boundedActivities struct {
	store.Activities
	b *boundary
}

func (s boundedActivities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	return s.b.call(func() string { return "asks " + keyText(key) + " to stop" }, func() error { return s.Activities.RequestStop(ctx, key, reason, expiresAt) })
}

func (s boundedActivities) State(ctx context.Context, key store.ActivityKey) (state store.ActivityState, err error) {
	err = s.b.call(func() string { return "reads the state of " + keyText(key) }, func() error {
		state, err = s.Activities.State(ctx, key)
		return err
	})
	return state, err
}

func (s boundedActivities) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (state store.ActivityState, err error) {
	err = s.b.call(func() string { return "records a heartbeat of " + keyText(key) }, func() error {
		state, err = s.Activities.Heartbeat(ctx, key, beat, expiresAt)
		return err
	})
	return state, err
}

func (s boundedActivities) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	return s.b.call(func() string { return "claims " + keyText(key) }, func() error { return s.Activities.Claim(ctx, key, claim, expiresAt) })
}

func (s boundedActivities) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	return s.b.call(func() string { return "marks as suspect " + keyText(key) }, func() error { return s.Activities.SetSuspect(ctx, key, suspect, expiresAt) })
}

func (s boundedActivities) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	return s.b.call(func() string { return "records the next attempt of " + keyText(key) }, func() error { return s.Activities.NoteNext(ctx, key, next, expiresAt) })
}

func keyText(key store.ActivityKey) string {
	return fmt.Sprintf("activity %d of %s execution %d", key.EventID, key.Instance, key.ExecutionID)
}

type boundedQueue struct {
	queue.Queue
	b *boundary
}

// Send sends one message per call, so that a process can die between any two of them.
func (q boundedQueue) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := queue.ValidateAll(q.FIFO(), msgs); err != nil {
		return err
	}
	for _, m := range msgs {
		if err := q.b.call(func() string { return "sends " + itemText(m.Body) }, func() error { return q.Queue.Send(ctx, m) }); err != nil {
			return err
		}
	}
	return nil
}

func (q boundedQueue) SetVisibility(ctx context.Context, d time.Duration, msgs ...queue.Message) error {
	return q.b.call(func() string { return "hides " + messagesText(msgs) + " for " + d.String() }, func() error { return q.Queue.SetVisibility(ctx, d, msgs...) })
}

func messagesText(msgs []queue.Message) string {
	if len(msgs) == 1 {
		return itemText(msgs[0].Body)
	}
	return fmt.Sprintf("%d messages", len(msgs))
}

type boundedTimer struct {
	timer.Timer
	b *boundary
}

func (t boundedTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	return t.b.call(func() string { return "schedules " + itemText(s.Body) }, func() error { return t.Timer.Schedule(ctx, s) })
}

func (t boundedTimer) Cancel(ctx context.Context, name string) error {
	return t.b.call(func() string { return "removes a schedule" }, func() error { return t.Timer.Cancel(ctx, name) })
}

// itemText describes a work item: its kind, name, event and instance.
func itemText(body string) string {
	item, err := wire.Parse([]byte(body))
	if err != nil {
		return "a message"
	}
	text := string(item.Kind)
	if item.Name != "" {
		text += " " + item.Name
	}
	if id := max(item.SourceEventID, item.SchedulingEventID); id > 0 {
		text += fmt.Sprintf(" of event %d", id)
	}
	return text + " of " + item.Target()
}

func reasonOf(m queue.Message) string { return m.Attributes[wire.ReasonAttribute] }
