package limits

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

const (
	// MaxWaitingGroups is the maximum number of groups in the waiting list.
	MaxWaitingGroups = 32
	// MaxParked is the maximum number of parked attempts.
	MaxParked = 8
	// CallTime is how long a permit is reserved for a parked attempt that was called.
	CallTime = 2 * time.Second
	// MaxWait is the longest time that an attempt waits before it asks again.
	MaxWait = 30 * time.Second
	// Spare is how long a group may pass its permits from attempt to attempt before it must return them.
	Spare = 30 * time.Second
	// GroupWait is how long a group stays in the waiting list after its last change. After that, a process that has died
	// is given no more permits.
	GroupWait = 30 * time.Second
)

// Who identifies an attempt of an activity.
type Who struct {
	store.ActivityKey
	Attempt int
}

// State is the state of one key. Times come from the clocks of the processes, in milliseconds since 1970.
type State struct {
	// Version is incremented by each change. At is the time of the last one.
	Version int   `json:"-"`
	At      int64 `json:"at,omitempty"`
	// N is the number of permits according to the code that asked last. Set is the number that an operator has set: 0
	// for none, Closed for no permits; it takes precedence. Other is what other code has recently asked with.
	N   int `json:"n,omitempty"`
	Set int `json:"set,omitempty"`
	// PerMS and SetPerMS are the span of a rate in milliseconds: by the code, and by an operator, where 0 keeps the
	// code's.
	PerMS    int64 `json:"per,omitempty"`
	SetPerMS int64 `json:"set_per,omitempty"`
	Other    Other `json:"other,omitzero"`
	// SetBy is the operator who made that setting, SetAt the time.
	SetBy string `json:"set_by,omitempty"`
	SetAt int64  `json:"set_at,omitempty"`
	// Listed is when the key was last added to the list of keys; 0 for never.
	Listed int64 `json:"listed,omitempty"`
	// By is the token of the group whose process wrote last. It makes the states of two processes differ, because the
	// store accepts a write that equals the stored state.
	By string `json:"by,omitempty"`
	// Groups hold permits of a limit or wait for some. Waiting groups are in the order in which they started to wait.
	Groups []Group `json:"groups,omitempty"`
	// Mean is how long attempts recently held a permit on average, in milliseconds. Freed is when a permit was last
	// returned, or when the first one was taken.
	Mean  int64 `json:"mean,omitempty"`
	Freed int64 `json:"freed,omitempty"`
	// Parked are attempts whose messages are hidden, in order. A process that returns a permit that no group waits for
	// makes the message of the first parked attempt visible.
	Parked []Parked `json:"parked,omitempty"`
	// Passed are the permits of a rate that were taken within its span, in order.
	Passed []Passed `json:"passed,omitempty"`
	// Tail is when the last of the attempts that wait outside of a process is due to return.
	Tail int64 `json:"tail,omitempty"`
}

// Group is a process's share of a limit: permits that its attempts pass to each other, and attempts that wait.
type Group struct {
	Token string
	// Have is the number of permits it holds, Want the number it waits for.
	Have, Want int
	// Until is when its permits expire. Within is how long it needs each permit, in milliseconds.
	Until, Within int64
	// Waits is when the group leaves the waiting list; a permit that is free later goes to the next group.
	Waits int64
}

// Parked is an attempt whose message is hidden until a time.
type Parked struct {
	Who   Who
	Until int64
	// Called is until when a permit is reserved for an attempt that was called; 0 if it was not called yet.
	Called int64
}

// Closed is the value of Set for a limit that gives no permits.
const Closed = -1

// Permits returns the number of permits. If two builds declare different numbers, the lower applies, so that neither
// build's limit is exceeded.
func (s *State) Permits() int {
	switch {
	case s.Set != 0:
		return max(s.Set, 0)
	case s.Other.N > 0:
		return min(s.N, s.Other.N)
	}
	return s.N
}

// Held returns how many permits are held.
func (s *State) Held() (n int) {
	for i := range s.Groups {
		n += s.Groups[i].Have
	}
	return n
}

// Group returns the group of the process with this token; the zero Group for none.
func (s *State) Group(token string) Group {
	if i := s.group(token); i >= 0 {
		return s.Groups[i]
	}
	return Group{}
}

func (s *State) group(token string) int {
	return slices.IndexFunc(s.Groups, func(g Group) bool { return g.Token == token })
}

// Before returns how many permits must become free before a group gets that many more, if all waiting groups get equal
// shares. groups is the number of other waiting groups.
func (s *State) Before(token string, more int, now time.Time) (permits, groups int) {
	permits = more + len(s.Parked)
	for i := range s.Groups {
		if g := &s.Groups[i]; g.waits(now.UnixMilli()) && g.Token != token {
			permits, groups = permits+min(g.Want, more), groups+1
		}
	}
	return permits, groups
}

// Ahead returns how many groups get a permit before the group with this token.
func (s *State) Ahead(token string) (n int) {
	at := s.group(token)
	for i := range s.Groups {
		if g := &s.Groups[i]; at >= 0 && g.Want > 0 && (g.Have < s.Groups[at].Have || g.Have == s.Groups[at].Have && i < at) {
			n++
		}
	}
	return n
}

func (g *Group) waits(ms int64) bool { return g.Want > 0 && g.Waits > ms }

// Holding is what a process reports about its group.
type Holding struct {
	Token string
	// Keep is how many of its permits attempts still use, Want how many more it needs, each for Within.
	Keep, Want int
	Within     time.Duration
	// Used is how long the returned permits were held in total, UsedBy how many attempts held them.
	Used   time.Duration
	UsedBy int
}

// With returns the State after a process has reported what its group keeps and wants. All free permits have been given
// to waiting groups in order.
func (s State) With(h Holding, now time.Time) State {
	next := s.changed(now)
	ms := now.UnixMilli()
	i := next.group(h.Token)
	g := Group{Token: h.Token}
	if i >= 0 {
		g = next.Groups[i]
	}
	returned := max(g.Have-h.Keep, 0)
	// New waiters, and groups that have returned permits, go to the end of the waiting list.
	behind := i < 0 || g.Want == 0 || returned > 0
	g.Have, g.Want, g.Waits = min(g.Have, h.Keep), h.Want, ms+GroupWait.Milliseconds()
	g.Within = max(h.Within.Milliseconds(), 0)
	switch {
	case g.Have == 0 && g.Want == 0 && i >= 0:
		next.Groups = slices.Delete(next.Groups, i, i+1)
	case g.Have == 0 && g.Want == 0:
	case i >= 0 && !behind:
		next.Groups[i] = g
	default:
		if i >= 0 {
			next.Groups = slices.Delete(next.Groups, i, i+1)
		}
		next.Groups = append(next.Groups, g)
	}
	if returned > 0 {
		next.Freed = ms
	}
	if h.UsedBy > 0 {
		used := h.Used.Milliseconds() / int64(h.UsedBy)
		if next.Mean == 0 {
			next.Mean = max(used, 1)
		} else {
			next.Mean = max(next.Mean+(used-next.Mean)*int64(min(h.UsedBy, 8))/16, 1)
		}
	}
	next.give(ms)
	return next
}

// give gives each free permit to the waiting group that has the fewest; of several, to the first.
func (s *State) give(ms int64) {
	if len(s.Groups) > 0 && s.Held() == 0 {
		s.Freed = ms
	}
	for free := s.Free(); free > 0; free-- {
		var next *Group
		for i := range s.Groups {
			if g := &s.Groups[i]; g.waits(ms) && (next == nil || g.Have < next.Have) {
				next = g
			}
		}
		if next == nil {
			return
		}
		next.Have, next.Want = next.Have+1, next.Want-1
		next.Until = max(next.Until, ms+next.Within)
	}
}

// Takes estimates how long a permit is held: the recent mean or, if no permit was returned for much longer than that,
// the time since the last return.
func (s *State) Takes(now time.Time) time.Duration {
	mean := time.Duration(s.Mean) * time.Millisecond
	// The attempts of a batch of ten may pass a permit to each other and return it only once.
	if since := now.Sub(time.UnixMilli(s.Freed)); s.Freed > 0 && since > 12*mean+time.Second {
		return since
	}
	return mean
}

// Wait estimates how long it takes until that many permits have become free; false if none will.
func (s *State) Wait(permits int, now time.Time) (time.Duration, bool) {
	n := s.Permits()
	if n == 0 {
		return 0, false
	}
	return time.Duration(permits) * s.Takes(now) / time.Duration(n), true
}

// Back returns when an attempt that leaves its process is due to return: after first at the earliest, and apart after
// the attempt that was sent back before it. If its turn has come, it does not wait for the others.
func (s *State) Back(now time.Time, first, apart time.Duration, turn bool) time.Time {
	at, tail := now.Add(first).UnixMilli(), s.Tail+apart.Milliseconds()
	s.Tail = max(at, tail)
	if turn {
		return time.UnixMilli(at)
	}
	return time.UnixMilli(s.Tail)
}

// Park parks an attempt. It reports false if there is no room.
func (s *State) Park(who Who, until time.Time) bool {
	if len(s.Parked) >= MaxParked {
		return false
	}
	s.Parked = append(s.Parked, Parked{Who: who, Until: until.UnixMilli()})
	return true
}

// Unpark removes an attempt from the parked ones, and reports whether it was one of them.
func (s *State) Unpark(who Who) bool {
	n := len(s.Parked)
	s.Parked = slices.DeleteFunc(s.Parked, func(p Parked) bool { return p.Who == who })
	return len(s.Parked) < n
}

// Call calls parked attempts in order, one for each free permit that no group waits for.
func (s *State) Call(now time.Time) (called []Who) {
	free := s.Free()
	for i := range s.Parked {
		if p := &s.Parked[i]; free > 0 && p.Called == 0 {
			p.Called = now.Add(CallTime).UnixMilli()
			called = append(called, p.Who)
			free--
		}
	}
	return called
}

// Missed removes parked attempts that could not be called, and calls others instead.
func (s State) Missed(missed []Who, now time.Time) (next State, called []Who) {
	next = s.changed(now)
	next.Parked = slices.DeleteFunc(next.Parked, func(p Parked) bool { return slices.Contains(missed, p.Who) })
	next.give(next.At)
	return next, next.Call(now)
}

// Free returns how many permits are neither held nor reserved for attempts that were called.
func (s *State) Free() int {
	n := s.Permits() - s.Held()
	for i := range s.Parked {
		if s.Parked[i].Called > 0 {
			n--
		}
	}
	return n
}

// IsListed records that the key was added to the list of keys.
func (s State) IsListed(now time.Time) State {
	s.Version++
	s.Listed = now.UnixMilli()
	return s
}

// WithSet sets the number of permits for an operator: Closed for none, 0 for the code's number.
func (s State) WithSet(n int, by string, now time.Time) State {
	next := s.changed(now)
	next.Set, next.SetPerMS, next.SetBy, next.SetAt = n, 0, by, now.UnixMilli()
	next.give(next.At)
	return next
}

// Declares records that an attempt asks whose code declares n permits; perMS is the span of a rate in milliseconds.
func (s State) Declares(n int, perMS int64, now time.Time) State {
	next := s.changed(now)
	next.declares(n, perMS, now)
	return next
}

// changed returns a copy to modify: the next version, without expired entries.
func (s State) changed(now time.Time) State {
	ms := now.UnixMilli()
	s.Version++
	s.At = ms
	s.Groups = slices.Clone(s.Groups)
	for i := range s.Groups {
		// A group whose permits have expired may still wait for others.
		if g := &s.Groups[i]; g.Until <= ms {
			g.Have = 0
		}
	}
	s.Groups = slices.DeleteFunc(s.Groups, func(g Group) bool { return g.Have == 0 && !g.waits(ms) })
	s.Passed = slices.Clone(s.Passed)
	s.Parked = slices.DeleteFunc(slices.Clone(s.Parked), func(p Parked) bool { return p.Until <= ms || p.Called > 0 && p.Called <= ms })
	if s.Other.Gone(now) {
		s.Other = Other{}
	}
	if s.Tail <= ms {
		s.Tail = 0
	}
	return s
}
