package limits

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// The items of limits have keys that no activity has: a control character is in no
// instance id.
const (
	limitPrefix   = "limit\t"
	waiterPrefix  = "waits\t"
	listOfKeys    = "limits\t"
	longRetention = 10 * 365 * 24 * time.Hour
)

// Retention is for how long an item stays that nobody changes.
const Retention = 15 * 24 * time.Hour

// Key is that of the item of a limit.
func Key(limit string) store.ActivityKey { return store.ActivityKey{Instance: limitPrefix + limit} }

// WaiterKey is that of the item that says where the message of a waiting attempt is.
func WaiterKey(w Who) store.ActivityKey {
	w.Instance = waiterPrefix + strconv.Itoa(w.Attempt) + "\t" + w.Instance
	return w.ActivityKey
}

// Claim is the State as its item has it. It can be written if nobody has written the
// same version or a later one.
func (s *State) Claim() (store.Claim, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return store.Claim{}, err
	}
	return store.Claim{Attempt: s.Version, Token: string(b)}, nil
}

// Of is the State that a claim has; the empty one for none.
func Of(limit string, c store.Claim) (s State, err error) {
	if c.Attempt == 0 {
		return s, nil
	}
	if err := json.Unmarshal([]byte(c.Token), &s); err != nil {
		return s, fmt.Errorf("limits: the item of limit %q is damaged: %w", limit, err)
	}
	s.Version = c.Attempt
	return s, nil
}

// WithoutHeld is the token of a claim by Claim without the permits that it holds, and whether it
// holds any.
func WithoutHeld(token string) (free string, held bool) {
	var s State
	if err := json.Unmarshal([]byte(token), &s); err != nil || len(s.Held) == 0 {
		return "", false
	}
	s.Held = nil
	b, err := json.Marshal(&s)
	return string(b), err == nil
}

// Expires is when the item may be forgotten, if it is not for this time from now on for
// other reasons. One with a number that an operator has set stays.
func (s *State) Expires(now time.Time, retention time.Duration) time.Time {
	if s.Set != 0 {
		retention = longRetention
	}
	return now.Add(retention)
}

// MarshalText writes it as "execution#event#attempt#instance".
func (w Who) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 24+len(w.Instance))
	for _, n := range [...]int64{w.ExecutionID, w.EventID, int64(w.Attempt)} {
		b = append(strconv.AppendInt(b, n, 10), '#')
	}
	return append(b, w.Instance...), nil
}

// UnmarshalText reads what MarshalText writes.
func (w *Who) UnmarshalText(b []byte) (err error) {
	parts := strings.SplitN(string(b), "#", 4)
	if len(parts) != 4 {
		return fmt.Errorf("%q is no attempt", b)
	}
	var n [3]int64
	for i := range n {
		if n[i], err = strconv.ParseInt(parts[i], 10, 64); err != nil {
			return fmt.Errorf("%q is no attempt", b)
		}
	}
	*w = Who{store.ActivityKey{Instance: parts[3], ExecutionID: n[0], EventID: n[1]}, int(n[2])}
	return nil
}

// MarshalJSON writes a permit as a short list: items are charged by the kilobyte.
func (h Held) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{h.Who, h.Token, h.Since, h.Until})
}

// UnmarshalJSON reads it.
func (h *Held) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&h.Who, &h.Token, &h.Since, &h.Until})
}

// MarshalJSON writes one who waits as a short list.
func (w Waiting) MarshalJSON() ([]byte, error) {
	all := []any{w.Who, w.Since, w.Seen, w.Called}
	if w.Due > 0 {
		all = append(all, w.Due)
	}
	return json.Marshal(all)
}

// UnmarshalJSON reads it.
func (w *Waiting) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&w.Who, &w.Since, &w.Seen, &w.Called, &w.Due})
}
