package world

import (
	"time"

	storememory "github.com/turnstile-go/turnstile/internal/store/memory"
	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/store"
)

// Services replace memory as the storage of a run, so that implementations of the store,
// the queues and the timer meet the same programs and faults.
type Services interface {
	Store() store.Store
	// Activities returns a table whose items expire by the time of the run.
	Activities(now func() time.Time) store.Activities
	// Queue returns the journal of a queue.
	Queue(name string) journal.Queue
	// Timer returns the journal of the timer.
	Timer() journal.Timer
}

// inMemory are the services of Run.
type inMemory struct{}

func (inMemory) Store() store.Store { return storememory.New() }
func (inMemory) Activities(now func() time.Time) store.Activities {
	return storememory.NewActivities(now)
}
func (inMemory) Queue(string) journal.Queue { return nil }
func (inMemory) Timer() journal.Timer       { return nil }
