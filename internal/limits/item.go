package limits

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// The items of limits have keys that no activity can have, because an instance id contains no control character.
const (
	limitPrefix   = "limit\t"
	namesPrefix   = "names\t"
	waiterPrefix  = "waits\t"
	listOfKeys    = "limits\t"
	longRetention = 10 * 365 * 24 * time.Hour
)

// Retention is how long an unchanged item is kept.
const Retention = 15 * 24 * time.Hour

// Key returns the key of a limit's item.
func Key(limit string) store.ActivityKey { return store.ActivityKey{Instance: limitPrefix + limit} }

// WaiterKey returns the key of the item that locates the message of a parked attempt.
func WaiterKey(w Who) store.ActivityKey {
	w.Instance = waiterPrefix + strconv.Itoa(w.Attempt) + "\t" + w.Instance
	return w.ActivityKey
}

// Claim returns the State as the claim that its item stores. The store accepts it if no process has written the same
// version or a later one.
func (s *State) Claim() (store.Claim, error) {
	short := s.shifted(-s.At)
	b, err := json.Marshal(&short)
	if err != nil {
		return store.Claim{}, err
	}
	return store.Claim{Attempt: s.Version, Token: string(b)}, nil
}

// Of returns the State that a claim holds; the zero State for a zero claim.
func Of(limit string, c store.Claim) (s State, err error) {
	if c.Attempt == 0 {
		return s, nil
	}
	if err := json.Unmarshal([]byte(c.Token), &s); err != nil {
		return s, fmt.Errorf("limits: the item of limit %q is damaged: %w", limit, err)
	}
	s = s.shifted(s.At)
	s.Version = c.Attempt
	return s, nil
}

// shifted returns a copy with its short-lived times moved. The item stores them relative to At, because writes are
// charged by the kilobyte.
func (s *State) shifted(by int64) State {
	t := *s
	t.Groups, t.Passed = slices.Clone(s.Groups), slices.Clone(s.Passed)
	for i := range t.Groups {
		t.Groups[i].Until += by
		t.Groups[i].Waits += by
	}
	t.Parked = slices.Clone(s.Parked)
	for i := range t.Parked {
		t.Parked[i].Until += by
		if t.Parked[i].Called > 0 {
			t.Parked[i].Called += by
		}
	}
	for i := range t.Passed {
		t.Passed[i].At += by
	}
	return t
}

// WithoutGroups returns the token of a claim without its groups, and whether it had any.
func WithoutGroups(token string) (free string, had bool) {
	var s State
	if err := json.Unmarshal([]byte(token), &s); err != nil || len(s.Groups) == 0 {
		return "", false
	}
	s.Groups = nil
	b, err := json.Marshal(&s)
	return string(b), err == nil
}

// Expires returns when the item may be deleted. An item with a number that an operator has set is kept for ten years.
func (s *State) Expires(now time.Time, retention time.Duration) time.Time {
	if s.Set != 0 {
		retention = longRetention
	}
	return now.Add(retention)
}

// MarshalJSON encodes a group as an array.
func (g Group) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{g.Token, g.Have, g.Want, g.Until, g.Within, g.Waits})
}

// UnmarshalJSON decodes it.
func (g *Group) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&g.Token, &g.Have, &g.Want, &g.Until, &g.Within, &g.Waits})
}

// MarshalJSON encodes a parked attempt as an array.
func (p Parked) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{p.Who, p.Until, p.Called})
}

// UnmarshalJSON decodes it.
func (p *Parked) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&p.Who, &p.Until, &p.Called})
}

// MarshalJSON encodes the permits of a rate as an array.
func (p Passed) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.At, p.N}) }

// UnmarshalJSON decodes it.
func (p *Passed) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &[]any{&p.At, &p.N}) }
