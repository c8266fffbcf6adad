package host

import (
	"container/list"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/clock"
	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
)

// cache keeps recent instances, replayed and parked, bounded by count, bytes,
// coroutines and age. What is taken out of it is used by one turn alone and
// put back when it is committed. It is never trusted: one made stale by another
// process loses its conditional write.
type cache struct {
	settings *Settings
	clock    clock.Clock
	observer Observer

	mu                sync.Mutex
	entries           map[string]*list.Element
	order             list.List // most recently used first
	bytes, coroutines int
}

// entry is an instance in the cache.
type entry struct {
	instance  string
	x         *engine.Execution
	execution int64
	work      work
	record    *store.Record
	current   bool // as of turn

	// used is when it was last read or committed, by the wall clock: a frozen
	// environment may wake days later.
	used              time.Time
	bytes, coroutines int
}

func newCache(s *Settings, c clock.Clock, observer Observer) *cache {
	return &cache{settings: s, clock: c, observer: observer, entries: map[string]*list.Element{}}
}

// take removes the instance from the cache and returns it; nil if it is not
// there, or too old.
func (c *cache) take(instance string) *entry {
	c.mu.Lock()
	element := c.entries[instance]
	if element == nil {
		c.mu.Unlock()
		return nil
	}
	e := c.remove(element)
	c.mu.Unlock()
	if age := c.clock.Now().Sub(e.used); age > c.settings.CacheAge || age < 0 {
		e.x.Close()
		c.observer.Count(CountCache, "evicted", 1)
		return nil
	}
	return e
}

// put adds an instance, and closes what no longer fits.
func (c *cache) put(e *entry) {
	if c.settings.CacheInstances < 0 {
		e.x.Close()
		return
	}
	// Round takes the reading of the monotonic clock off: it may stand still
	// while the environment is frozen, and Sub would go by it.
	e.used = c.clock.Now().Round(0)
	e.bytes, e.coroutines = e.x.Size()
	c.mu.Lock()
	var out []*entry
	if old := c.entries[e.instance]; old != nil {
		// Another turn of this process was faster; the later commit is the
		// better one, and a wrong guess costs a retry.
		out = append(out, c.remove(old))
	}
	c.entries[e.instance] = c.order.PushFront(e)
	c.bytes += e.bytes
	c.coroutines += e.coroutines
	for c.order.Len() > c.settings.CacheInstances || c.bytes > c.settings.CacheBytes || c.coroutines > c.settings.CacheCoroutines {
		out = append(out, c.remove(c.order.Back()))
	}
	c.mu.Unlock()
	c.evict(out)
}

// clear empties the cache.
func (c *cache) clear() {
	c.mu.Lock()
	var out []*entry
	for c.order.Len() > 0 {
		out = append(out, c.remove(c.order.Back()))
	}
	c.mu.Unlock()
	for _, e := range out {
		e.x.Close()
	}
}

// evict closes entries outside the lock: deferred functions of user code run.
func (c *cache) evict(out []*entry) {
	for _, e := range out {
		e.x.Close()
		c.observer.Count(CountCache, "evicted", 1)
	}
}

func (c *cache) remove(element *list.Element) *entry {
	e := c.order.Remove(element).(*entry)
	delete(c.entries, e.instance)
	c.bytes -= e.bytes
	c.coroutines -= e.coroutines
	return e
}
