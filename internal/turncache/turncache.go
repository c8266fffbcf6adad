// Package turncache keeps turns that a process has read, so that it reads only the later ones again. A
// reader asks the store each time: the cache never answers alone for an execution that may continue.
package turncache

import (
	"container/list"
	"sync"
	"unsafe"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Key identifies an execution. The start id tells it from one that has the same number after a purge.
type Key struct {
	Instance    string
	ExecutionID int64
	StartID     string
}

// Cache keeps the turns of the executions that were read most recently. It is safe for concurrent use.
type Cache struct {
	limit int

	mu     sync.Mutex
	kept   map[Key]*list.Element // of *entry
	recent list.List             // most recently read first
	bytes  int
}

type entry struct {
	key   Key
	turns []store.Turn
	bytes int
}

// New returns an empty cache of at most that many bytes of memory, as [Size] estimates them.
func New(bytes int) *Cache { return &Cache{limit: bytes, kept: map[Key]*list.Element{}} }

// Read returns all turns of an execution. read returns those that have events from event id `from` on,
// as store.Store.Read does. If turns are kept, it is called with the first event of the last of them:
// if the store has that turn no longer, the cache is wrong, and read is called again from 1. It is not
// called if the execution has ended. The turns must not be modified.
func (c *Cache) Read(key Key, read func(from int64) ([]store.Turn, error)) ([]store.Turn, error) {
	known := c.get(key)
	if len(known) > 0 {
		last := &known[len(known)-1]
		if last.Events[len(last.Events)-1].Kind.Terminal() {
			return known, nil
		}
		news, err := read(last.First())
		switch {
		case err != nil:
			return nil, err
		case len(news) > 0 && news[0].First() == last.First() && news[0].Last() == last.Last() && news[0].Token == last.Token:
			if len(news) > 1 {
				known = append(known[:len(known):len(known)], news[1:]...)
				c.put(key, known)
			}
			return known, nil
		}
	}
	turns, err := read(1)
	if err == nil && len(turns) > 0 {
		c.put(key, turns)
	}
	return turns, err
}

func (c *Cache) get(key Key) []store.Turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.kept[key]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*entry).turns
}

func (c *Cache) put(key Key, turns []store.Turn) {
	k := &entry{key, turns, Size(turns)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.kept[key]; e != nil {
		c.remove(e)
	}
	if k.bytes > c.limit {
		return
	}
	c.kept[key] = c.recent.PushFront(k)
	for c.bytes += k.bytes; c.bytes > c.limit; {
		c.remove(c.recent.Back())
	}
}

// remove drops an execution. The caller holds the lock.
func (c *Cache) remove(e *list.Element) {
	k := c.recent.Remove(e).(*entry)
	delete(c.kept, k.key)
	c.bytes -= k.bytes
}

// Size estimates the memory that turns hold, in bytes.
func Size(turns []store.Turn) (bytes int) {
	// An event keeps the text that it was decoded from.
	const event, text = int(unsafe.Sizeof(history.Event{})), 110
	for i := range turns {
		for j := range turns[i].Events {
			bytes += event + text + len(turns[i].Events[j].Payload)
		}
	}
	return bytes
}
