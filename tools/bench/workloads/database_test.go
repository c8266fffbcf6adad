package workloads_test

import (
	"context"
	"sync"

	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/store/dynamo"
)

// requests are what an environment has asked of its store and its queues.
type requests struct {
	Writes     int
	WriteUnits float64
	// Messages sent, but for sweeps, which the environment sends by itself.
	Messages int
	// Reads and ReadUnits, with those of the client that looks whether what it waits
	// for has ended.
	Reads     int
	ReadUnits float64
}

func (r requests) minus(before requests) requests {
	return requests{
		r.Writes - before.Writes, r.WriteUnits - before.WriteUnits, r.Messages - before.Messages,
		r.Reads - before.Reads, r.ReadUnits - before.ReadUnits,
	}
}

// below reports whether r has less of anything that is written or sent.
func (r requests) below(other requests) bool {
	return r.Writes < other.Writes || r.WriteUnits < other.WriteUnits || r.Messages < other.Messages
}

// counter counts them.
type counter struct {
	mu sync.Mutex
	n  requests
}

func (c *counter) now() requests {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// meter is for dynamo.Config.
func (c *counter) meter(u dynamo.Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch u.Operation {
	case "GetItem", "Query":
		c.n.Reads++
	default:
		c.n.Writes++
	}
	c.n.WriteUnits += u.WriteUnits
	c.n.ReadUnits += u.ReadUnits
}

// database is what an environment keeps everything in, for one run. Queues and
// timers are in memory, and only counted.
type database struct {
	*counter
	store      store.Store
	activities store.Activities
	keys       store.Keys
	// ofActivities counts what is asked of the activities table alone.
	ofActivities *counter
}

func (d database) activityRequests() requests { return d.ofActivities.now() }

func (database) Acquire() error                 { return nil }
func (database) Release() error                 { return nil }
func (d database) Store() store.Store           { return d.store }
func (d database) Activities() store.Activities { return d.activities }
func (d database) Keys() store.Keys             { return d.keys }
func (d database) Queue(string) journal.Queue   { return counting{d.counter} }
func (database) Queues() ([]string, error)      { return nil, nil }
func (database) Timer() journal.Timer           { return nil }
func (database) Flush(context.Context) error    { return nil }

// counting counts the messages of a queue and keeps nothing.
type counting struct{ *counter }

func (counting) Load() (c journal.Contents, err error) { return c, nil }
func (counting) Ready() error                          { return nil }
func (counting) Received(int64, int)                   {}
func (counting) Deleted(int64)                         {}

func (j counting) Sent(m journal.Message) {
	if item, err := wire.ParseText(m.Body); err == nil && item.Kind == wire.Sweep {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.n.Messages++
}
