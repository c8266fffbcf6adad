package limits

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// The keys for which attempts have waited lately, and those for which an operator has set
// a number, stand in lists, so that they can be shown: the activities table has no index.
const (
	// KeyLists is how many lists there are. A key stands in one of them.
	KeyLists = 16
	// MaxKeys is how many keys a list has. One more takes the place of the oldest.
	MaxKeys = 250
	// ListAgain is after how long a key is put into its list again.
	ListAgain = 24 * time.Hour
)

// Keys is a list of keys.
type Keys struct {
	Version int `json:"-"`
	// At is when each was put into the list last, in milliseconds since 1970.
	At map[string]int64 `json:"at"`
}

// ListOf is the number of the list that a key stands in.
func ListOf(limit string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(limit))
	return int(h.Sum32() % KeyLists)
}

// ListKey is the key of a list's item.
func ListKey(n int) store.ActivityKey {
	return store.ActivityKey{Instance: listOfKeys, EventID: int64(n)}
}

// KeysOf is the list that a claim has.
func KeysOf(c store.Claim) (k Keys, err error) {
	if c.Attempt == 0 {
		return k, nil
	}
	if err := json.Unmarshal([]byte(c.Token), &k); err != nil {
		return k, fmt.Errorf("limits: a list of the keys of limits is damaged: %w", err)
	}
	k.Version = c.Attempt
	return k, nil
}

// With has a key more. Keys that nobody has put there for the retention go.
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

// Claim is the list as its item has it.
func (k *Keys) Claim() (store.Claim, error) {
	b, err := json.Marshal(k)
	return store.Claim{Attempt: k.Version, Token: string(b)}, err
}
