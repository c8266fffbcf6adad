package world

import (
	"time"

	queuememory "github.com/turnstile-go/turnstile/queue/memory"
	"github.com/turnstile-go/turnstile/store"
	storememory "github.com/turnstile-go/turnstile/store/memory"
	timermemory "github.com/turnstile-go/turnstile/timer/memory"
)

// Services are what a run is made on in place of memory, so that whatever keeps
// the store, the queues and the timer meets the same programs and faults.
type Services interface {
	Store() store.Store
	// Activities expire by the time of the run.
	Activities(now func() time.Time) store.Activities
	// Queue returns the journal of a queue.
	Queue(name string) queuememory.Journal
	// Timer returns the journal of the timer.
	Timer() timermemory.Journal
}

// inMemory are the services of Run.
type inMemory struct{}

func (inMemory) Store() store.Store { return storememory.New() }
func (inMemory) Activities(now func() time.Time) store.Activities {
	return storememory.NewActivities(now)
}
func (inMemory) Queue(string) queuememory.Journal { return nil }
func (inMemory) Timer() timermemory.Journal       { return nil }
