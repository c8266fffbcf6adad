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

// Cache keeps recent instances, replayed and suspended in memory. It is limited by bytes,
// coroutines, age and, optionally, count. A turn takes an instance out, uses it alone, and puts it
// back after the turn is committed. The cache is never trusted: a stale instance loses its
// conditional write.
//
// If an instance does not fit, the cache evicts a random other one. It does not evict the least
// recently used instance: if slightly more instances than fit took turns in rotation, each would be
// evicted just before its next turn. All of them would have to be read again, instead of a few.
type Cache struct {
	settings host.CacheSettings
	clock    clock.Clock
	observer host.Observer

	mu                sync.Mutex
	entries           map[string]*Entry
	order             list.List // most recently used first
	places            []*Entry  // in no order, for a random choice
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
	// Current is set if the record is not older than the execution.
	Current bool

	// used is when the instance was last read or committed, by the wall clock, because a frozen
	// environment may resume days later.
	used              time.Time
	bytes, coroutines int
	// element and place are its positions in order and places.
	element *list.Element
	place   int
}

// New returns an empty cache.
func New(s host.CacheSettings, clock clock.Clock, observer host.Observer) *Cache {
	return &Cache{settings: s, clock: clock, observer: observer, entries: map[string]*Entry{}}
}

// Take removes the instance from the cache and returns it; nil if it is not in the cache or too
// old.
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

// Put adds an instance, and evicts instances that no longer fit.
func (c *Cache) Put(e *Entry) {
	if c.settings.Instances < 0 {
		e.X.Close()
		return
	}
	// Round removes the monotonic clock reading. The monotonic clock may stop while the environment
	// is frozen, and Sub would use it.
	e.used = c.clock.Now().Round(0)
	e.bytes, e.coroutines = e.X.Size()
	e.bytes += e.besides()
	c.mu.Lock()
	var out []*Entry
	if old := c.entries[e.Instance]; old != nil {
		// Another turn of this process has put the instance back first. The cache keeps the
		// instance with the later commit; a wrong choice costs only a retry.
		out = append(out, c.remove(old))
	}
	c.add(e)
	for c.over() {
		out = append(out, c.remove(c.next(e)))
	}
	c.mu.Unlock()
	c.evict(out)
}

// besides returns the bytes that the cache holds for an instance in addition to its execution.
func (e *Entry) besides() int {
	const own, ofRecord, ofOpen = 600, 600, 160
	n := own + 2*len(e.Instance) + len(e.Work)*ofOpen
	if r := e.Record; r != nil {
		n += ofRecord + len(r.States)
	}
	return n
}

func (c *Cache) over() bool {
	return c.settings.Instances > 0 && len(c.places) > c.settings.Instances ||
		c.bytes > c.settings.Bytes || c.coroutines > c.settings.Coroutines
}

// next returns the entry to evict: an entry that is too old to be used, otherwise a random one. It
// returns kept only if there is no other entry.
func (c *Cache) next(kept *Entry) *Entry {
	if last := c.order.Back().Value.(*Entry); last != kept && c.old(last, kept.used) {
		return last
	}
	// A linear congruential generator, so that equal turns evict the same entries.
	c.drawn = c.drawn*6364136223846793005 + 1442695040888963407
	i := int((c.drawn >> 33) % uint64(len(c.places)))
	if c.places[i] == kept {
		i = (i + 1) % len(c.places)
	}
	return c.places[i]
}

// Len returns the number of instances.
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

// evict closes entries outside the lock, because deferred functions of users' code run.
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
