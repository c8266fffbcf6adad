package limits

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// The item of a limit holds only numbers, because each write is charged by the item's size. A separate item names the
// attempts that hold permits or wait for a long time. It is only displayed: nothing depends on it, and a process writes
// it at most once a second.

const (
	// MaxNames is the maximum number of waiting attempts that are named.
	MaxNames = 32
	// NameFrom is how long an attempt must hold a permit, or expect to wait, to be named.
	NameFrom = 2 * time.Second
	// NameAgain is the minimum time between two writes of names by a process.
	NameAgain = time.Second
	// Silence is how long a waiting attempt stays named after the time at which it was expected to get its permit.
	Silence = 5 * time.Second
)

// Names are the named attempts of a limit.
type Names struct {
	Version int `json:"-"`
	// Holds are the attempts that hold permits, by the token of their group.
	Holds map[string]Holders `json:"holds,omitempty"`
	// Waiting are the named waiting attempts.
	Waiting []Waiting `json:"line,omitempty"`
}

// Holders are the attempts of a group that held permits when its process last wrote names.
type Holders struct {
	// Until is when the permits of the group expire.
	Until int64   `json:"until"`
	Named []Named `json:"names"`
}

// Named is an attempt that has held a permit since a time.
type Named struct {
	Who   Who
	Since int64
}

// Waiting is a waiting attempt.
type Waiting struct {
	Who Who
	// Since is when it started to wait, Due when it is expected to get its permit.
	Since, Due int64
}

// Gone reports whether Silence has passed since the attempt was expected to get its permit.
func (w *Waiting) Gone(now time.Time) bool { return w.Due+Silence.Milliseconds() <= now.UnixMilli() }

// NamesKey returns the key of the item that holds the names of a limit.
func NamesKey(limit string) store.ActivityKey {
	return store.ActivityKey{Instance: namesPrefix + limit}
}

// ReadNames reads the names of a limit.
func ReadNames(ctx context.Context, a store.Activities, limit string) (n Names, err error) {
	item, err := a.State(ctx, NamesKey(limit))
	if err != nil || item.Claim.Attempt == 0 {
		return n, err
	}
	if err := json.Unmarshal([]byte(item.Claim.Token), &n); err != nil {
		return n, fmt.Errorf("limits: the names of limit %q are damaged: %w", limit, err)
	}
	n.Version = item.Claim.Attempt
	return n, nil
}

// WriteNames changes the names of a limit. If another process writes at the same time, this change is dropped.
func WriteNames(ctx context.Context, a store.Activities, limit string, now time.Time, retention time.Duration, with func(*Names)) error {
	n, err := ReadNames(ctx, a, limit)
	if err != nil {
		return err
	}
	n.Waiting = slices.DeleteFunc(n.Waiting, func(w Waiting) bool { return w.Gone(now) })
	for token, h := range n.Holds {
		if h.Until <= now.UnixMilli() {
			delete(n.Holds, token)
		}
	}
	with(&n)
	b, err := json.Marshal(&n)
	if err != nil {
		return err
	}
	err = a.Claim(ctx, NamesKey(limit), store.Claim{Attempt: n.Version + 1, Token: string(b)}, now.Add(retention))
	if _, other := errors.AsType[*store.ClaimedError](err); other {
		return nil
	}
	return err
}

// Holding records the attempts that hold the permits of a group.
func (n *Names) Holding(token string, until time.Time, names []Named) {
	if n.Holds == nil {
		n.Holds = map[string]Holders{}
	}
	n.Holds[token] = Holders{until.UnixMilli(), names}
}

// Waits names a waiting attempt, if there is room.
func (n *Names) Waits(w Waiting) {
	switch i := slices.IndexFunc(n.Waiting, func(other Waiting) bool { return other.Who == w.Who }); {
	case i >= 0:
		n.Waiting[i].Due = w.Due
	case len(n.Waiting) < MaxNames:
		n.Waiting = append(n.Waiting, w)
	}
}

// Leaves removes an attempt from the waiting ones.
func (n *Names) Leaves(who Who) {
	n.Waiting = slices.DeleteFunc(n.Waiting, func(w Waiting) bool { return w.Who == who })
}

// MarshalText encodes an attempt as "execution#event#attempt#instance".
func (w Who) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 24+len(w.Instance))
	for _, n := range [...]int64{w.ExecutionID, w.EventID, int64(w.Attempt)} {
		b = append(strconv.AppendInt(b, n, 10), '#')
	}
	return append(b, w.Instance...), nil
}

// UnmarshalText decodes what MarshalText encodes.
func (w *Who) UnmarshalText(b []byte) (err error) {
	parts := strings.SplitN(string(b), "#", 4)
	if len(parts) != 4 {
		return fmt.Errorf("%q is not an attempt: want execution#event#attempt#instance", b)
	}
	var n [3]int64
	for i := range n {
		if n[i], err = strconv.ParseInt(parts[i], 10, 64); err != nil {
			return fmt.Errorf("%q is not an attempt: want execution#event#attempt#instance", b)
		}
	}
	*w = Who{store.ActivityKey{Instance: parts[3], ExecutionID: n[0], EventID: n[1]}, int(n[2])}
	return nil
}

// MarshalJSON encodes a holder as an array.
func (n Named) MarshalJSON() ([]byte, error) { return json.Marshal([]any{n.Who, n.Since}) }

// UnmarshalJSON decodes it.
func (n *Named) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]any{&n.Who, &n.Since}) }

// MarshalJSON encodes a waiting attempt as an array.
func (w Waiting) MarshalJSON() ([]byte, error) { return json.Marshal([]any{w.Who, w.Since, w.Due}) }

// UnmarshalJSON decodes it.
func (w *Waiting) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&w.Who, &w.Since, &w.Due})
}
