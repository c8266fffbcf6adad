package sqlite

import (
	"container/list"
	"sync"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

const (
	// maxKnown is the maximum number of recently changed instances that are kept in memory;
	// maxKnownBytes is the maximum size of the output and the states of such an instance.
	maxKnown      = 4096
	maxKnownBytes = 8 << 10
)

// known caches the most recently changed instances, so that commits and reads of active instances need
// no read, and counts how many instances there are of each status. Only the writer adds to it, because
// a reader could add an instance that has changed since it was read.
type known struct {
	// staged are the instances that the current transaction has changed; only the writer uses it.
	staged map[string]*staged

	mu        sync.Mutex
	instances map[string]*list.Element
	// newest first.
	order list.List
	// counts is nil until counts are requested; wrong is the error if they could not be read.
	counts map[countKey]int
	wanted bool
	wrong  error
}

type countKey struct {
	name   string
	status store.Status
}

// staged is an instance that is being changed.
type staged struct {
	// before is the record that was committed last.
	before *store.Record
	after  *instance
}

func newKnown() *known {
	return &known{staged: map[string]*staged{}, instances: map[string]*list.Element{}}
}

// startedAt discards the instances that a transaction staged and did not commit.
func (k *known) startedAt() { clear(k.staged) }

// in returns the state of an instance within the current transaction.
func (k *known) in(tx *conn, id string) (*instance, error) {
	if s := k.staged[id]; s != nil {
		return s.after, nil
	}
	if i := k.get(id); i != nil {
		return i, nil
	}
	return readInstance(tx, id)
}

// stage records the state in which the current transaction leaves an instance. before is the state
// that in returned.
func (k *known) stage(before, after *instance) {
	if s := k.staged[after.id]; s != nil {
		s.after = after
		return
	}
	k.staged[after.id] = &staged{before: before.record, after: after}
}

// committed applies the staged instances of the transaction.
func (k *known) committed(c *conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.staged {
		k.count(s.before, -1)
		k.count(s.after.record, 1)
		k.put(id, s.after)
	}
	clear(k.staged)
	if k.wanted && k.counts == nil {
		// No transaction is in progress here. If the read fails, the next one tries again.
		k.counts, k.wrong = countsOf(c)
	}
}

// countsOf counts the listed instances.
func countsOf(c *conn) (map[countKey]int, error) {
	counts := map[countKey]int{}
	err := c.query(func(s *sqlite3.Stmt) error {
		counts[countKey{s.ColumnText(0), store.Status(s.ColumnText(1))}] = s.ColumnInt(2)
		return nil
	}, "SELECT name, status, count(*) FROM instances INDEXED BY instances_by_status WHERE list_key IS NOT NULL GROUP BY status, name")
	if err != nil {
		return nil, explain(c.path, err)
	}
	return counts, nil
}

// counting reports whether the instances are counted, and starts counting them.
func (k *known) counting() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wanted = true
	return k.counts != nil
}

// byStatus returns the number of instances of each status that a query without times and conditions
// selects.
func (k *known) byStatus(q *store.ListQuery) (map[store.Status]int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.counts == nil {
		return nil, k.wrong
	}
	counts := map[store.Status]int{}
	for key, n := range k.counts {
		if n > 0 && (q.Name == "" || q.Name == key.name) && (q.Status == "" || q.Status == key.status) {
			counts[key.status] += n
		}
	}
	return counts, nil
}

// get returns an instance as it was last committed, nil if it is not cached.
func (k *known) get(id string) *instance {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.instances[id]
	if e == nil {
		return nil
	}
	return e.Value.(*instance)
}

func (k *known) put(id string, i *instance) {
	e := k.instances[id]
	if r := i.record; r != nil && len(r.Output)+len(r.States) > maxKnownBytes {
		if e != nil {
			k.order.Remove(e)
			delete(k.instances, id)
		}
		return
	}
	if e != nil {
		e.Value = i
		k.order.MoveToFront(e)
		return
	}
	k.instances[id] = k.order.PushFront(i)
	if k.order.Len() > maxKnown {
		last := k.order.Back()
		k.order.Remove(last)
		delete(k.instances, last.Value.(*instance).id)
	}
}

// count adds n to the number of instances with a record's status and name.
func (k *known) count(r *store.Record, n int) {
	if r != nil && !r.Purged && k.counts != nil {
		k.counts[countKey{r.Name, r.Status}] += n
	}
}
