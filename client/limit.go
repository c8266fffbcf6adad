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

// Limit is the state of a limit ([turnstile.Limit]) or of a rate ([turnstile.Rate]).
type Limit struct {
	Key string `json:"key"`
	// Rate is set for a rate. Permits is then how many attempts may start within Per milliseconds, and
	// DeclaredPer is the window in the code. A rate has no holders. Per is 0 if neither an operator nor an
	// attempt has set it.
	Rate        bool  `json:"rate,omitempty"`
	Per         int64 `json:"per_ms,omitempty"`
	DeclaredPer int64 `json:"declared_per_ms,omitempty"`
	// Instances is set if the limit is for instances of orchestrations, not for attempts of
	// activities. Coordinator is then the instance that coordinates the limit, and
	// CoordinatorStatus is its status; no instance starts unless the coordinator runs. Length is
	// the number of waiting instances; Waiting has the first 50.
	Instances         bool   `json:"instances,omitempty"`
	Coordinator       string `json:"coordinator,omitempty"`
	CoordinatorStatus Status `json:"coordinator_status,omitempty"`
	Length            int    `json:"length,omitempty"`
	// Permits is how many attempts may run at a time; 0 if no attempt has requested a permit yet.
	// Declared is the number in the code of the latest attempt. Set is the number that
	// [Client.SetLimit] has set, which takes precedence; 0 for none. Closed is set if SetLimit set
	// the number 0, so that no attempt gets a permit.
	Permits  int  `json:"permits"`
	Declared int  `json:"declared"`
	Set      int  `json:"set,omitempty"`
	Closed   bool `json:"closed,omitempty"`
	// Other is a different number that the code of another build or another call declares for the
	// key. For a rate, OtherPer is its window in milliseconds. For activities, OtherAt is about
	// when an attempt last requested a permit with that number; the lower number applies for a
	// minute after that. For instances, Other is the number that was declared previously and
	// applied until OtherAt.
	Other    int       `json:"other,omitempty"`
	OtherPer int64     `json:"other_per_ms,omitempty"`
	OtherAt  time.Time `json:"other_at,omitzero"`
	// SetBy is the actor that last changed or reset Set, and SetAt is when.
	SetBy string    `json:"set_by,omitempty"`
	SetAt time.Time `json:"set_at,omitzero"`
	// Taken is how many permits are held.
	Taken int `json:"taken"`
	// Held are the attempts, or instances, that hold a permit, the oldest permit first. An attempt is
	// listed after at most 10 seconds, and for up to 10 seconds after it has returned its permit.
	Held []LimitHolder `json:"held"`
	// Waiting are the waiting attempts, longest wait first. At most 32 are listed, and only those that
	// have waited for at least two seconds, so more attempts may be waiting.
	Waiting []LimitWaiter `json:"waiting"`
}

// LimitHolder is an attempt, or an instance, that holds a permit.
type LimitHolder struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	// EventID of the ActivityScheduled, or of the OrchestrationSuspended with which an instance waited for
	// its permit.
	EventID int64     `json:"event_id"`
	Attempt int       `json:"attempt,omitempty"`
	Since   time.Time `json:"since"`
	// Until is the latest time at which the permit becomes free, even if the worker has died. It is
	// zero for an instance, which keeps its permit until it ends.
	Until time.Time `json:"until,omitzero"`
}

// LimitWaiter is an attempt, or an instance, that waits for a permit.
type LimitWaiter struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	// EventID of the ActivityScheduled, or of the OrchestrationSuspended with which an instance waits for
	// a permit.
	EventID int64     `json:"event_id"`
	Attempt int       `json:"attempt,omitempty"`
	Since   time.Time `json:"since"`
	// Due is when an attempt is expected to get its permit.
	Due time.Time `json:"due,omitzero"`
}

// Limit returns the state of the limit of a key, with two reads. A limit that no attempt has used in
// the last two weeks has no permits.
//
// Errors: [ErrNoActivities] if the client has no store of activities.
func (c *Client) Limit(ctx context.Context, key string) (Limit, error) { return c.limit(ctx, key) }

// Rate returns the state of the rate of a key, as [Client.Limit] does for a limit. A waiting attempt is
// listed for up to five seconds after it was expected to get its permit.
//
// Errors: [ErrNoActivities] if the client has no store of activities.
func (c *Client) Rate(ctx context.Context, key string) (Limit, error) {
	return c.limit(ctx, limits.OfRate(key))
}

// limit reads a limit or a rate by its name.
func (c *Client) limit(ctx context.Context, name string) (Limit, error) {
	if c.cfg.Activities == nil {
		return Limit{}, ErrNoActivities
	}
	s, err := limits.Read(ctx, c.cfg.Activities, name)
	if err != nil {
		return Limit{}, err
	}
	named, err := limits.ReadNames(ctx, c.cfg.Activities, name)
	if err != nil {
		return Limit{}, err
	}
	return c.limitOf(name, &s, &named), nil
}

func (c *Client) limitOf(name string, s *limits.State, named *limits.Names) Limit {
	at := c.cfg.Clock.Now()
	now := at.UnixMilli()
	if s.Other.Gone(at) {
		s.Other = limits.Other{}
	}
	l := Limit{Key: name, Permits: s.Permits(), Declared: s.N, Set: max(s.Set, 0), Closed: s.Set == limits.Closed, SetBy: s.SetBy, Held: []LimitHolder{}, Waiting: []LimitWaiter{}}
	if key, is := limits.IsRate(name); is {
		l.Key, l.Rate, l.DeclaredPer = key, true, s.PerMS
		var per time.Duration
		l.Permits, per = s.Rate(s.N, time.Duration(s.PerMS)*time.Millisecond)
		l.Per = per.Milliseconds()
	}
	if s.SetAt > 0 {
		l.SetAt = time.UnixMilli(s.SetAt).UTC()
	}
	if s.Other.N > 0 {
		l.Other, l.OtherPer, l.OtherAt = s.Other.N, s.Other.PerMS, time.UnixMilli(s.Other.Asked).UTC()
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.Until <= now {
			continue
		}
		l.Taken += g.Have
		names := named.Holds[g.Token].Named
		for _, h := range names[:min(len(names), g.Have)] {
			l.Held = append(l.Held, LimitHolder{Instance: h.Who.Instance, ExecutionID: h.Who.ExecutionID, EventID: h.Who.EventID, Attempt: h.Who.Attempt,
				Since: time.UnixMilli(h.Since).UTC(), Until: time.UnixMilli(g.Until).UTC()})
		}
	}
	slices.SortStableFunc(l.Held, func(a, b LimitHolder) int { return a.Since.Compare(b.Since) })
	for _, w := range named.Waiting {
		if !w.Gone(at) {
			l.Waiting = append(l.Waiting, LimitWaiter{Instance: w.Who.Instance, ExecutionID: w.Who.ExecutionID, EventID: w.Who.EventID, Attempt: w.Who.Attempt,
				Since: time.UnixMilli(w.Since).UTC(), Due: time.UnixMilli(w.Due).UTC()})
		}
	}
	slices.SortStableFunc(l.Waiting, func(a, b LimitWaiter) int { return a.Since.Compare(b.Since) })
	return l
}

// Limits returns the limits and rates for which an attempt has waited in the last two weeks, and those
// that [Client.SetLimit] and [Client.SetRate] have changed. They are sorted by the number of waiting
// attempts, highest first, and then by key. Limits makes 16 reads, and two for each limit. If there are
// more than 4,000 keys, some are left out.
//
// Errors: [ErrNoActivities] if the client has no store of activities.
func (c *Client) Limits(ctx context.Context) ([]Limit, error) {
	if c.cfg.Activities == nil {
		return nil, ErrNoActivities
	}
	all := []Limit{}
	for n := range limits.KeyLists {
		item, err := c.cfg.Activities.State(ctx, limits.ListKey(n))
		if err != nil {
			return nil, fmt.Errorf("reading the keys of limits: %w", err)
		}
		keys, err := limits.KeysOf(item.Claim)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(keys.At)) {
			l, err := c.limit(ctx, name)
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

// SetLimit sets how many attempts with this key may run at a time, 0 to [turnstile.MaxLimit], until
// [Client.ResetLimit]. This number takes precedence over the number in the code of every
// deployment. Attempts that have a permit keep it. 0 closes the limit: all other attempts wait. A
// higher limit takes effect within 30 seconds, a lower one within 5, because a process hands
// permits from attempt to attempt. The actor and the time are recorded with the number. SetLimit
// makes a read and a write, and adds the key to the list of keys.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for an invalid key or number.
func (c *Client) SetLimit(ctx context.Context, key string, n int) error {
	return c.setLimit(ctx, "SetLimit", key, key, n, func(s limits.State, set int, now time.Time) limits.State { return s.WithSet(set, c.actor, now) })
}

// ResetLimit makes the number in the code apply again.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for an invalid key.
func (c *Client) ResetLimit(ctx context.Context, key string) error {
	return c.setLimit(ctx, "ResetLimit", key, key, 0, func(s limits.State, _ int, now time.Time) limits.State { return s.WithSet(0, c.actor, now) })
}

// SetRate sets how many attempts with this key may start within the window per, as [Client.SetLimit] does
// for a limit: n is 0 to [turnstile.MaxLimit]; if per is 0, the window in the code applies. Waiting
// attempts use the new rate within a minute. Permits that were taken earlier count for the window that
// applied then.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for an invalid key, number or span.
func (c *Client) SetRate(ctx context.Context, key string, n int, per time.Duration) error {
	if per < 0 || per > turnstile.MaxTimer || per%time.Millisecond != 0 {
		return &turnstile.InvalidArgumentError{Call: "SetRate", Argument: "per", Problem: fmt.Sprintf(
			"is %s; it must be whole milliseconds up to %s (MaxTimer), or 0 for the window in the code", per, turnstile.MaxTimer)}
	}
	return c.setLimit(ctx, "SetRate", key, limits.OfRate(key), n, func(s limits.State, set int, now time.Time) limits.State {
		return s.WithSetRate(set, per, c.actor, now)
	})
}

// ResetRate makes the rate in the code apply again.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for an invalid key.
func (c *Client) ResetRate(ctx context.Context, key string) error {
	return c.setLimit(ctx, "ResetRate", key, limits.OfRate(key), 0, func(s limits.State, _ int, now time.Time) limits.State { return s.WithSet(0, c.actor, now) })
}

// setTries is the maximum number of tries for a change that conflicts with changes by workers.
const setTries = 50

// setLimit changes the limit or the rate of a name. with receives n, or limits.Closed for 0.
func (c *Client) setLimit(ctx context.Context, operation, key, name string, n int, with func(s limits.State, set int, now time.Time) limits.State) error {
	if problem := names.SetLimit(n); problem != "" {
		return &turnstile.InvalidArgumentError{Call: operation, Argument: "n", Problem: problem}
	}
	if problem := names.LimitKey(key); problem != "" {
		return &turnstile.InvalidArgumentError{Call: operation, Argument: "key", Problem: problem}
	}
	set := n
	if n == 0 {
		set = limits.Closed
	}
	if c.cfg.Activities == nil {
		return ErrNoActivities
	}
	payload := fmt.Appendf(nil, "%d", n)
	return c.intercepted(ctx, operation, wire.Item{Name: key}, payload, func(ctx context.Context, _ wire.Item) error {
		state, err := limits.Read(ctx, c.cfg.Activities, name)
		if err != nil {
			return err
		}
		for range setTries {
			now := c.cfg.Clock.Now()
			next := with(state, set, now)
			next.Listed = now.UnixMilli()
			stands, written, err := limits.Write(ctx, c.cfg.Activities, name, &next, now, limits.Retention)
			if err != nil {
				return err
			}
			if written {
				return limits.List(ctx, c.cfg.Activities, name, now, limits.Retention)
			}
			state = stands
		}
		return errors.New("turnstile: the limit was not changed, because attempts changed it at the same time; try again")
	})
}
