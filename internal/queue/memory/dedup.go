package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/turnstile-go/turnstile/journal"
)

// dedup remembers deduplication ids for journal.DedupWindow from the first send, even after the message
// is gone.
type dedup struct {
	ids map[dedupKey]dedupEntry
	// order is the order of expiry, which is the order of sending.
	order []dedupEntry
}

// dedupKey is a deduplication id in its group, which is its scope as in high-throughput mode.
type dedupKey struct{ group, id string }

type dedupEntry struct {
	key   dedupKey
	sent  string // id of the message
	until time.Time
}

// find returns the id of the message sent under the key within the window.
func (d *dedup) find(key dedupKey, now time.Time) (string, bool) {
	for len(d.order) > 0 && !now.Before(d.order[0].until) {
		// A redrive may have renewed the entry.
		if old := d.order[0]; d.ids[old.key].until.Equal(old.until) {
			delete(d.ids, old.key)
		}
		d.order = d.order[1:]
	}
	e, ok := d.ids[key]
	return e.sent, ok
}

func (d *dedup) remember(key dedupKey, id string, now time.Time) {
	d.add(dedupEntry{key, id, now.Add(journal.DedupWindow)})
}

func (d *dedup) add(e dedupEntry) {
	if d.ids == nil {
		d.ids = map[dedupKey]dedupEntry{}
	}
	d.ids[e.key] = e
	d.order = append(d.order, e)
}

// contentID returns the deduplication id of a message that was given none: the hash of its body,
// without the attributes.
func contentID(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}
