package limits

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// Keys are kept in lists so that they can be shown, because the activities table has no index. A list holds the keys
// that attempts have recently waited for, and the keys whose number an operator has set.
const (
	// KeyLists is the number of lists. Each key belongs to one of them.
	KeyLists = 16
	// MaxKeys is the maximum number of keys in a list. Adding one more removes the oldest.
	MaxKeys = 250
	// ListAgain is the interval after which a key is added to its list again.
	ListAgain = 24 * time.Hour
)

// Keys is a list of keys.
type Keys struct {
	Version int `json:"-"`
	// At is the time at which each key was last added, in milliseconds since 1970.
	At map[string]int64 `json:"at"`
}

// ListOf returns the number of the list that a key belongs to.
func ListOf(limit string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(limit))
	return int(h.Sum32() % KeyLists)
}

// ListKey returns the key of a list's item.
func ListKey(n int) store.ActivityKey {
	return store.ActivityKey{Instance: listOfKeys, EventID: int64(n)}
}

// KeysOf returns the list that a claim holds.
func KeysOf(c store.Claim) (k Keys, err error) {
	if c.Attempt == 0 {
		return k, nil
	}
	if err := json.Unmarshal([]byte(c.Token), &k); err != nil {
		return k, fmt.Errorf("limits: a list of keys is damaged: %w", err)
	}
	k.Version = c.Attempt
	return k, nil
}

// With returns the list with one more key, and without keys that were not added within the retention.
func (k Keys) With(limit string, now time.Time, retention time.Duration) Keys {
	next := Keys{Version: k.Version + 1, At: map[string]int64{limit: now.UnixMilli()}}
	var others []string
	for key, at := range k.At {
		if key != limit && now.Sub(time.UnixMilli(at)) < retention {
			others = append(others, key)
		}
	}
	slices.SortFunc(others, func(a, b string) int { return int(k.At[b] - k.At[a]) })
	for _, key := range others[:min(len(others), MaxKeys-1)] {
		next.At[key] = k.At[key]
	}
	return next
}

// Claim returns the list as the claim that its item stores.
func (k *Keys) Claim() (store.Claim, error) {
	b, err := json.Marshal(k)
	return store.Claim{Attempt: k.Version, Token: string(b)}, err
}
