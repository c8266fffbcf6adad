package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/settings"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/store"
)

// Database keeps all state of a runtime that must outlive its process. Package sqlite has one.
// Queues and timers work in memory and report their changes to journals; the store writes its own
// changes.
//
// All writes, through the store or a journal, become durable in order, so a crash loses the last
// writes and no earlier ones. A method of the store returns when its write is durable. A change
// that was reported to a journal is durable when a later Flush or write has returned.
type Database interface {
	// Acquire reserves the database for one runtime, until Release. It returns an error if another
	// runtime has it.
	Acquire() error
	// Release makes all writes durable and ends the reservation.
	Release() error
	Store() store.Store
	Activities() store.Activities
	Keys() store.Keys
	// Queue returns the journal of the queue with that name.
	Queue(name string) journal.Queue
	// Queues returns the names of queues that have messages.
	Queues() ([]string, error)
	// Timer returns the journal of the timer.
	Timer() journal.Timer
	// Flush waits until all earlier writes are durable.
	Flush(ctx context.Context) error
}

// inMemory is a Database that keeps everything in memory.
type inMemory struct {
	store      store.Store
	activities store.Activities
	keys       keyring.Memory
}

func newInMemory(now func() time.Time) *inMemory {
	return &inMemory{store: memorystore.New(), activities: memorystore.NewActivities(now)}
}

func (*inMemory) Acquire() error                 { return nil }
func (*inMemory) Release() error                 { return nil }
func (m *inMemory) Store() store.Store           { return m.store }
func (m *inMemory) Activities() store.Activities { return m.activities }
func (m *inMemory) Keys() store.Keys             { return &m.keys }
func (*inMemory) Queue(string) journal.Queue     { return nil }
func (*inMemory) Queues() ([]string, error)      { return nil, nil }
func (*inMemory) Timer() journal.Timer           { return nil }
func (*inMemory) Flush(context.Context) error    { return nil }

// flushed is a queue for senders from outside: when Send returns, the messages are durable. After
// an error they may still be handled. The host does not need this. It sends a message before it
// deletes the message that caused the send, so a crash loses the deletion first.
type flushed struct {
	queue.Queue
	flush func(context.Context) error
}

func (q flushed) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	if err := q.Queue.Send(ctx, msgs...); err != nil {
		return err
	}
	if err := q.flush(ctx); err != nil {
		return fmt.Errorf("%w: the sent messages are not durable yet: %w", store.ErrUnknownOutcome, err)
	}
	return nil
}

// check returns the problem of an option, or of a combination of options.
func (o *options) check() error {
	if err := settings.Check("WithSettings", o.settings); err != nil {
		return fmt.Errorf("embedded: %w", err)
	}
	for name, workers := range o.queues {
		if p := names.Queue(name); p != "" {
			return fmt.Errorf("embedded: WithQueue: the name %s", p)
		}
		if name == names.DefaultQueue {
			return fmt.Errorf("embedded: WithQueue: %q is the default queue, which has no name: set its workers with WithWorkers", name)
		}
		if workers < 1 {
			return fmt.Errorf("embedded: WithQueue: %d workers for queue %q: at least one is needed", workers, name)
		}
	}
	if o.workers < 1 {
		return fmt.Errorf("embedded: %d workers: at least one is needed", o.workers)
	}
	if o.pace != 0 && !o.virtual {
		return errors.New("embedded: WithRealTimePacing needs WithVirtualTime: real time cannot be paced")
	}
	if o.virtual && o.database != nil {
		return errors.New("embedded: WithVirtualTime and WithDatabase cannot be combined, because a database keeps due times of the real clock: leave one of them out")
	}
	return nil
}
