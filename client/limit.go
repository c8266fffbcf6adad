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

// Limit is how a limit stands ([turnstile.Limit]), or a rate ([turnstile.Rate]).
type Limit struct {
	Key string `json:"key"`
	// Rate: Permits is how many attempts may begin within Per milliseconds, of which the code
	// says DeclaredPer. Nobody holds a permit. Per is 0 where neither an operator nor an attempt
	// has said it.
	Rate        bool  `json:"rate,omitempty"`
	Per         int64 `json:"per_ms,omitempty"`
	DeclaredPer int64 `json:"declared_per_ms,omitempty"`
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
	// Other is another number that code declares for the key, another build or another call, with
	// OtherPer milliseconds of a rate. Of activities an attempt has asked with it at OtherAt or before,
	// and the lower one counts for a minute; of instances it is the one before Declared, until OtherAt.
	Other    int       `json:"other,omitempty"`
	OtherPer int64     `json:"other_per_ms,omitempty"`
	OtherAt  time.Time `json:"other_at,omitzero"`
	// SetBy is the actor who changed Set last, SetAt when; also where that was to
	// nothing.
	SetBy string    `json:"set_by,omitempty"`
	SetAt time.Time `json:"set_at,omitzero"`
	// Held are the attempts that have a permit, the one that has it longest first.
	Held []LimitHolder `json:"held"`
	// Waiting are the attempts that wait in the line, the first first: at most 32. Others wait
	// too where there are so many, and are not known. Those that wait for a rate have no order:
	// the one that has waited longest is the first.
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
	// Due is when it asks again for a permit of a rate.
	Due time.Time `json:"due,omitzero"`
}

// Limit returns how the limit of a key stands: one read. A limit that no attempt has used for
// two weeks, or ever, has no permits.
//
// Errors: [ErrNoActivities] if the client cannot look there.
func (c *Client) Limit(ctx context.Context, key string) (Limit, error) { return c.limit(ctx, key) }

// Rate returns how the rate of a key stands, as [Client.Limit] does for a limit. An attempt that
// waits is shown until it begins, or for ten seconds after it was to ask again.
//
// Errors: [ErrNoActivities] if the client cannot look there.
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
	return c.limitOf(name, &s), nil
}

func (c *Client) limitOf(name string, s *limits.State) Limit {
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
	for _, h := range s.Held {
		if h.Until > now {
			l.Held = append(l.Held, LimitHolder{Instance: h.Who.Instance, ExecutionID: h.Who.ExecutionID, EventID: h.Who.EventID, Attempt: h.Who.Attempt,
				Since: time.UnixMilli(h.Since).UTC(), Until: time.UnixMilli(h.Until).UTC()})
		}
	}
	slices.SortStableFunc(l.Held, func(a, b LimitHolder) int { return a.Since.Compare(b.Since) })
	for _, w := range s.Line {
		if w.Gone(at) {
			continue
		}
		waits := LimitWaiter{Instance: w.Who.Instance, ExecutionID: w.Who.ExecutionID, EventID: w.Who.EventID, Attempt: w.Who.Attempt,
			Since: time.UnixMilli(w.Since).UTC(), Called: w.Called > 0}
		if w.Due > 0 {
			waits.Due = time.UnixMilli(w.Due).UTC()
		}
		l.Waiting = append(l.Waiting, waits)
	}
	return l
}

// Limits returns the limits and rates for which an attempt has waited in the last two weeks, and
// those that [Client.SetLimit] and [Client.SetRate] have changed; those for which most wait first, then by key. It
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

// SetLimit changes how many attempts with this key may run at a time, 0 to
// [turnstile.MaxLimit], until [Client.ResetLimit]: it takes precedence over the number in the
// code of each deployment. Attempts that have a permit keep it. 0 closes the limit: all others wait. More permits are used at the next
// change of the limit, or within 30 seconds. The actor and the time are kept with it. It makes a read and
// a write, and puts the key into the list of keys.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for a key or a number that cannot be.
func (c *Client) SetLimit(ctx context.Context, key string, n int) error {
	return c.setLimit(ctx, "SetLimit", key, key, n, func(s limits.State, set int, now time.Time) limits.State { return s.WithSet(set, c.actor, now) })
}

// ResetLimit has the number in the code count again.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for a key that cannot be.
func (c *Client) ResetLimit(ctx context.Context, key string) error {
	return c.setLimit(ctx, "ResetLimit", key, key, 0, func(s limits.State, _ int, now time.Time) limits.State { return s.WithSet(0, c.actor, now) })
}

// SetRate changes how many attempts with this key may begin within a span, as [Client.SetLimit]
// does for a limit: n is 0 to [turnstile.MaxLimit], and the span is that of the code if per is 0.
// Workers go by it within 30 seconds. Permits that were taken before stay taken for the span that
// they were taken for.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for a key, a number or a span that cannot be.
func (c *Client) SetRate(ctx context.Context, key string, n int, per time.Duration) error {
	if per < 0 || per > turnstile.MaxTimer || per%time.Millisecond != 0 {
		return &turnstile.InvalidArgumentError{Call: "SetRate", Argument: "per", Problem: fmt.Sprintf(
			"is %s, it must be whole milliseconds up to %s (MaxTimer), or 0 for the span of the code", per, turnstile.MaxTimer)}
	}
	return c.setLimit(ctx, "SetRate", key, limits.OfRate(key), n, func(s limits.State, set int, now time.Time) limits.State {
		return s.WithSetRate(set, per, c.actor, now)
	})
}

// ResetRate has the rate in the code count again.
//
// Errors: [ErrNoActivities]; [*turnstile.InvalidArgumentError] for a key that cannot be.
func (c *Client) ResetRate(ctx context.Context, key string) error {
	return c.setLimit(ctx, "ResetRate", key, limits.OfRate(key), 0, func(s limits.State, _ int, now time.Time) limits.State { return s.WithSet(0, c.actor, now) })
}

// setTries is how often a change is tried of which workers are in the way.
const setTries = 50

// setLimit changes the limit or the rate of a name. with is given n, or limits.Closed for 0.
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
		return errors.New("turnstile: limit not changed, because attempts changed it at the same time; try again")
	})
}
