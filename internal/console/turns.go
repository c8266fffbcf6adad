package console

import (
	"container/list"
	"context"
	"sync"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/store"
)

// mostTurnEvents bounds the events of all histories that are kept; mostTurnBytes
// their payloads.
const (
	mostTurnEvents = 300_000
	mostTurnBytes  = 128 << 20
)

// turnCache keeps turns that were read: what is recorded never changes, so that
// of an instance that somebody looks at only what is new is read again. It is
// safe for concurrent use.
type turnCache struct {
	client *client.Client

	mu            sync.Mutex
	kept          map[executionKey]*list.Element // of *keptTurns
	recent        list.List                      // the one used last in front
	events, bytes int
}

type executionKey struct {
	instance  string
	execution int64
	// life is the start id: fifteen days behind a purge the id may begin anew.
	life string
}

type keptTurns struct {
	key           executionKey
	turns         []store.Turn
	events, bytes int
}

func newTurnCache(c *client.Client) *turnCache {
	return &turnCache{client: c, kept: map[executionKey]*list.Element{}}
}

// read returns the turns of an execution of an instance that stands as d. They are
// not to be changed.
func (c *turnCache) read(ctx context.Context, d *client.Description, execution int64) ([]store.Turn, error) {
	key := executionKey{d.Instance, execution, d.StartID}
	have := c.have(key)
	from := int64(1)
	if n := len(have); n > 0 {
		last := &have[n-1].Events[len(have[n-1].Events)-1]
		if last.Kind.Terminal() {
			return have, nil
		}
		from = last.EventID + 1
	}
	news, err := c.client.Turns(ctx, *d, execution, from)
	if err != nil {
		return nil, err
	}
	all := append(have[:len(have):len(have)], news...)
	if len(news) > 0 {
		c.keep(key, all)
	}
	return all, nil
}

func (c *turnCache) have(key executionKey) []store.Turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.kept[key]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*keptTurns).turns
}

func (c *turnCache) keep(key executionKey, turns []store.Turn) {
	k := &keptTurns{key: key, turns: turns}
	for i := range turns {
		k.events += len(turns[i].Events)
		for j := range turns[i].Events {
			k.bytes += len(turns[i].Events[j].Payload)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.kept[key]; e != nil {
		if before := e.Value.(*keptTurns); before.events >= k.events {
			return // Somebody else read further.
		}
		c.drop(e)
	}
	c.kept[key] = c.recent.PushFront(k)
	c.events, c.bytes = c.events+k.events, c.bytes+k.bytes
	for c.recent.Len() > 0 && (c.events > mostTurnEvents || c.bytes > mostTurnBytes) {
		c.drop(c.recent.Back())
	}
}

// drop forgets a history. The caller holds the lock.
func (c *turnCache) drop(e *list.Element) {
	k := c.recent.Remove(e).(*keptTurns)
	delete(c.kept, k.key)
	c.events, c.bytes = c.events-k.events, c.bytes-k.bytes
}
