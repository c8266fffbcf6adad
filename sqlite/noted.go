package sqlite

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// noted records which activities may have stored state. Few activities have stored state, but each
// attempt asks for it, so noted saves a read for most attempts. An activity is never removed, so
// noted may report an activity whose state has expired.
type noted struct {
	seed maphash.Seed
	bits [1 << 12]atomic.Uint64
}

func (n *noted) bit(key store.ActivityKey) (word *atomic.Uint64, mask uint64) {
	h := maphash.Comparable(n.seed, key)
	return &n.bits[h>>6%uint64(len(n.bits))], 1 << (h & 63)
}

func (n *noted) has(key store.ActivityKey) bool {
	word, mask := n.bit(key)
	return word.Load()&mask != 0
}

func (n *noted) add(key store.ActivityKey) {
	word, mask := n.bit(key)
	word.Or(mask)
}

// load loads the activities for which something is stored.
func (n *noted) load(c *conn) error {
	n.seed = maphash.MakeSeed()
	return c.query(func(s *sqlite3.Stmt) error {
		n.add(store.ActivityKey{Instance: s.ColumnText(0), ExecutionID: s.ColumnInt64(1), EventID: s.ColumnInt64(2)})
		return nil
	}, "SELECT instance, execution, event FROM activities")
}
