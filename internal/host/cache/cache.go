// Package cache keeps instances between their turns.
package cache

import (
	"container/list"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/clock"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/store"
)

// Cache keeps recent instances, replayed and parked, bounded by the bytes that
// they hold, by coroutines, age and, if asked for, count. What is taken out of it
// is used by one turn alone and put back when it is committed. It is never
// trusted: a stale one loses its conditional write.
//
// If an instance no longer fits, a random other one is evicted. Were it the one
// used longest ago, instances that take their turns one after the other, and are
// a few more than fit, would each have gone when their turn comes: all of them
// would be read, not those few.
type Cache struct {
	settings host.CacheSettings
	clock    clock.Clock
	observer host.Observer

	mu                sync.Mutex
	entries           map[string]*Entry
	order             list.List // most recently used first
	places            []*Entry  // in no order, to draw from
	drawn             uint64
	bytes, coroutines int
}

// Entry is an instance in the cache.
type Entry struct {
	Instance  string
	X         *engine.Execution
	Execution int64
	Work      dispatch.Work
	Record    *store.Record
	// Current: the record is not older than the execution.
	Current bool

	// used is when it was last read or committed, by the wall clock: a frozen
	// environment may wake days later.
	used              time.Time
	bytes, coroutines int
	// element and place are where it stands in order and places.
	element *list.Element
	place   int
}

// New returns an empty cache.
func New(s host.CacheSettings, clock clock.Clock, observer host.Observer) *Cache {
	return &Cache{settings: s, clock: clock, observer: observer, entries: map[string]*Entry{}}
}

// Take removes the instance from the cache and returns it; nil if it is not
// there, or too old.
func (c *Cache) Take(instance string) *Entry {
	c.mu.Lock()
	e := c.entries[instance]
	if e == nil {
		c.mu.Unlock()
		return nil
	}
	c.remove(e)
	c.mu.Unlock()
	if c.old(e, c.clock.Now()) {
		c.evict([]*Entry{e})
		return nil
	}
	return e
}

func (c *Cache) old(e *Entry, now time.Time) bool {
	age := now.Sub(e.used)
	return age > c.settings.Age || age < 0
}

// Put adds an instance, and closes what no longer fits.
func (c *Cache) Put(e *Entry) {
	if c.settings.Instances < 0 {
		e.X.Close()
		return
	}
	// Round takes the reading of the monotonic clock off: it may stand still
	// while the environment is frozen, and Sub would go by it.
	e.used = c.clock.Now().Round(0)
	e.bytes, e.coroutines = e.X.Size()
	e.bytes += e.besides()
	c.mu.Lock()
	var out []*Entry
	if old := c.entries[e.Instance]; old != nil {
		// Another turn of this process was faster; the later commit is the
		// better one, and a wrong guess costs a retry.
		out = append(out, c.remove(old))
	}
	c.add(e)
	for c.over() {
		out = append(out, c.remove(c.next(e)))
	}
	c.mu.Unlock()
	c.evict(out)
}

// besides is what the cache holds of an instance beside its execution.
func (e *Entry) besides() int {
	const own, ofRecord, ofOpen = 600, 600, 160
	n := own + 2*len(e.Instance) + len(e.Work)*ofOpen
	if r := e.Record; r != nil {
		n += ofRecord + len(r.CustomStatus)
	}
	return n
}

func (c *Cache) over() bool {
	return c.settings.Instances > 0 && len(c.places) > c.settings.Instances ||
		c.bytes > c.settings.Bytes || c.coroutines > c.settings.Coroutines
}

// next returns the entry to evict: one that is too old to be used, otherwise a
// random one, and the entry to keep only if there is no other.
func (c *Cache) next(kept *Entry) *Entry {
	if last := c.order.Back().Value.(*Entry); last != kept && c.old(last, kept.used) {
		return last
	}
	// A linear congruential generator: the same turns make the same ones go.
	c.drawn = c.drawn*6364136223846793005 + 1442695040888963407
	i := int((c.drawn >> 33) % uint64(len(c.places)))
	if c.places[i] == kept {
		i = (i + 1) % len(c.places)
	}
	return c.places[i]
}

// Len returns how many instances it has.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.places)
}

// Clear empties the cache.
func (c *Cache) Clear() {
	c.mu.Lock()
	var out []*Entry
	for c.order.Len() > 0 {
		out = append(out, c.remove(c.order.Back().Value.(*Entry)))
	}
	c.mu.Unlock()
	for _, e := range out {
		e.X.Close()
	}
}

// evict closes entries outside the lock: deferred functions of user code run.
func (c *Cache) evict(out []*Entry) {
	for _, e := range out {
		e.X.Close()
		c.observer.Count(host.CountCache, "evicted", 1)
	}
}

func (c *Cache) add(e *Entry) {
	c.entries[e.Instance] = e
	e.element, e.place = c.order.PushFront(e), len(c.places)
	c.places = append(c.places, e)
	c.bytes += e.bytes
	c.coroutines += e.coroutines
}

func (c *Cache) remove(e *Entry) *Entry {
	delete(c.entries, e.Instance)
	c.order.Remove(e.element)
	last := len(c.places) - 1
	c.places[e.place] = c.places[last]
	c.places[e.place].place = e.place
	c.places[last] = nil
	c.places = c.places[:last]
	c.bytes -= e.bytes
	c.coroutines -= e.coroutines
	return e
}
