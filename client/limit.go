package client

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/limits"
	"github.com/turnstile-go/turnstile/internal/names"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Limit is how a limit stands ([turnstile.Limit]).
type Limit struct {
	Key string `json:"key"`
	// Instances: it limits instances of orchestrations, and not attempts of activities. Then
	// Gate is the instance that hands out its places, and GateStatus how that stands: nobody
	// is let in while it does not run. Length is how many wait, of which Waiting has the first
	// 50.
	Instances  bool   `json:"instances,omitempty"`
	Gate       string `json:"gate,omitempty"`
	GateStatus Status `json:"gate_status,omitempty"`
	Length     int    `json:"length,omitempty"`
	// Permits is how many attempts may run at a time, 0 if no attempt has asked yet.
	// Declared is what the code says that asked last, Set what [Client.SetLimit] says, which
	// takes precedence; 0 for nothing. Closed: it says 0, and no attempt gets a permit.
	Permits  int  `json:"permits"`
	Declared int  `json:"declared"`
	Set      int  `json:"set,omitempty"`
	Closed   bool `json:"closed,omitempty"`
	// SetBy is the actor who changed Set last, SetAt when; also where that was to
	// nothing.
	SetBy string    `json:"set_by,omitempty"`
	SetAt time.Time `json:"set_at,omitzero"`
	// Held are the attempts that have a permit, the one that has it longest first.
	Held []LimitHolder `json:"held"`
	// Waiting are the attempts that wait in the line, the first first: at most 32. Others wait
	// too where there are so many, and are not known.
	Waiting []LimitWaiter `json:"waiting"`
}

// LimitHolder is an attempt that has a permit.
type LimitHolder struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	// EventID of the ActivityScheduled, or of the OrchestrationSuspended by which an
	// instance waited for its turn.
	EventID int64     `json:"event_id"`
	Attempt int       `json:"attempt,omitempty"`
	Since   time.Time `json:"since"`
	// Until when it has it at most: then the permit is free, also if the worker has died. Zero
	// of an instance, which has its place until it ends.
	Until time.Time `json:"until,omitzero"`
}

// LimitWaiter is an attempt that waits for a permit.
type LimitWaiter struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	// EventID of the ActivityScheduled, or of the OrchestrationSuspended by which an
	// instance waits for its turn.
	EventID int64     `json:"event_id"`
	Attempt int       `json:"attempt,omitempty"`
	Since   time.Time `json:"since"`
	// Called: a permit is free for it, and its message was made visible.
	Called bool `json:"called,omitempty"`
}

// Limit returns how the limit of a key stands: one read. A limit that no attempt has used for
// two weeks, or ever, has no permits.
//
// Errors: [ErrNoActivities] if the client cannot look there.
func (c *Client) Limit(ctx context.Context, key string) (Limit, error) {
	if c.cfg.Activities == nil {
		return Limit{}, ErrNoActivities
	}
	s, err := limits.Read(ctx, c.cfg.Activities, key)
	if err != nil {
		return Limit{}, err
	}
	return c.limitOf(key, &s), nil
}

func (c *Client) limitOf(key string, s *limits.State) Limit {
	now := c.cfg.Clock.Now().UnixMilli()
	l := Limit{Key: key, Permits: s.Permits(), Declared: s.N, Set: max(s.Set, 0), Closed: s.Set == limits.Closed, SetBy: s.SetBy, Held: []LimitHolder{}, Waiting: []LimitWaiter{}}
	if s.SetAt > 0 {
		l.SetAt = time.UnixMilli(s.SetAt).UTC()
	}
	for _, h := range s.Held {
		if h.Until > now {
			l.Held = append(l.Held, LimitHolder{Instance: h.Who.Instance, ExecutionID: h.Who.ExecutionID, EventID: h.Who.EventID, Attempt: h.Who.Attempt,
				Since: time.UnixMilli(h.Since).UTC(), Until: time.UnixMilli(h.Until).UTC()})
		}
	}
	slices.SortStableFunc(l.Held, func(a, b LimitHolder) int { return a.Since.Compare(b.Since) })
	for _, w := range s.Line {
		if w.Seen+limits.Silence.Milliseconds() > now {
			l.Waiting = append(l.Waiting, LimitWaiter{Instance: w.Who.Instance, ExecutionID: w.Who.ExecutionID, EventID: w.Who.EventID, Attempt: w.Who.Attempt,
				Since: time.UnixMilli(w.Since).UTC(), Called: w.Called > 0})
		}
	}
	return l
}

// Limits returns the limits for which an attempt has waited in the last two weeks, and
// those that [Client.SetLimit] has changed; those for which most wait first, then by key. It
// makes 16 reads and one for each of them. Of more than 4,000 keys some are left out.
//
// Errors: [ErrNoActivities] if the client cannot look there.
func (c *Client) Limits(ctx context.Context) ([]Limit, error) {
	if c.cfg.Activities == nil {
		return nil, ErrNoActivities
	}
	all := []Limit{}
	for n := range limits.KeyLists {
		item, err := c.cfg.Activities.State(ctx, limits.ListKey(n))
		if err != nil {
			return nil, fmt.Errorf("keys of limits not read: %w", err)
		}
		keys, err := limits.KeysOf(item.Claim)
		if err != nil {
			return nil, err
		}
		for _, key := range slices.Sorted(maps.Keys(keys.At)) {
			l, err := c.Limit(ctx, key)
			if err != nil {
				return nil, err
			}
			if l.Permits > 0 || l.Closed {
				all = append(all, l)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Limit) int {
		if d := len(b.Waiting) - len(a.Waiting); d != 0 {
			return d
		}
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	return all, nil
}

// SetLimit changes how many attempts with this key may run at a time, 0 to
// [turnstile.MaxLimit], until [Client.ResetLimit]: it takes precedence over the number in the
// code of each deployment. Attempts that have a permit keep it. 0 closes the limit: all others wait. More permits are used at the next
// change of the limit, or within 30 seconds. The actor and the time are kept with it. It makes a read and
// a write, and puts the key into the list of keys.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for a key or a number that cannot be.
func (c *Client) SetLimit(ctx context.Context, key string, n int) error {
	if problem := names.SetLimit(n); problem != "" {
		return &turnstile.InvalidArgumentError{Call: "SetLimit", Argument: "n", Problem: problem}
	}
	set := n
	if n == 0 {
		set = limits.Closed
	}
	return c.setLimit(ctx, "SetLimit", key, n, set)
}

// ResetLimit has the number in the code count again.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for a key that cannot be.
func (c *Client) ResetLimit(ctx context.Context, key string) error {
	return c.setLimit(ctx, "ResetLimit", key, 0, 0)
}

// setTries is how often a change is tried of which workers are in the way.
const setTries = 50

func (c *Client) setLimit(ctx context.Context, operation, key string, n, set int) error {
	if problem := names.LimitKey(key); problem != "" {
		return &turnstile.InvalidArgumentError{Call: operation, Argument: "key", Problem: problem}
	}
	if c.cfg.Activities == nil {
		return ErrNoActivities
	}
	payload := fmt.Appendf(nil, "%d", n)
	return c.intercepted(ctx, operation, wire.Item{Name: key}, payload, func(ctx context.Context, _ wire.Item) error {
		state, err := limits.Read(ctx, c.cfg.Activities, key)
		if err != nil {
			return err
		}
		for range setTries {
			now := c.cfg.Clock.Now()
			next := state.WithSet(set, c.actor, now)
			next.Listed = now.UnixMilli()
			stands, written, err := limits.Write(ctx, c.cfg.Activities, key, &next, now, limits.Retention)
			if err != nil {
				return err
			}
			if written {
				return limits.List(ctx, c.cfg.Activities, key, now, limits.Retention)
			}
			state = stands
		}
		return errors.New("turnstile: limit not changed, because attempts changed it at the same time; try again")
	})
}
