package limits

import (
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

const (
	// MaxLine is how many wait in a line, in order. All others ask again from time to time.
	MaxLine = 32
	// CallTime is how long a permit is kept for an attempt that was called.
	CallTime = 5 * time.Second
	// MaxWait is the longest that one in a line waits before it asks by itself.
	MaxWait = 30 * time.Second
	// Silence is after how long an attempt that does not ask any more is not in the line any more.
	Silence = 10 * time.Minute
	// RateSilence is the same of a rate, from when the attempt was to ask again.
	RateSilence = 10 * time.Second
)

// Who is an attempt of an activity.
type Who struct {
	store.ActivityKey
	Attempt int
}

// State of one key. Its times are those of the processes' clocks, in milliseconds since 1970.
type State struct {
	// Version is raised by one with each change.
	Version int `json:"-"`
	// N is how many permits there are by the code that asked last, Set by an operator, 0
	// for nothing set, Closed for no permits; it takes precedence. Other is what other code has
	// asked with of late.
	N   int `json:"n,omitempty"`
	Set int `json:"set,omitempty"`
	// PerMS and SetPerMS are the span of a rate, in milliseconds, by the code and by an
	// operator, who may leave it as it is (0). A State of a rate has no Held: its permits are
	// items of their own.
	PerMS    int64 `json:"per,omitempty"`
	SetPerMS int64 `json:"set_per,omitempty"`
	Other    Other `json:"other,omitzero"`
	// SetBy is who has set it, SetAt when.
	SetBy string `json:"set_by,omitempty"`
	SetAt int64  `json:"set_at,omitempty"`
	// Listed is when the key was put into the list of keys; 0 for never.
	Listed int64 `json:"listed,omitempty"`
	// Held are the permits that were taken, Line those who wait, the first first.
	Held []Held    `json:"held,omitempty"`
	Line []Waiting `json:"line,omitempty"`
}

// Held is a permit.
type Held struct {
	Who Who
	// Token names it: two deliveries of one attempt have a permit each.
	Token        string
	Since, Until int64
}

// Waiting is one who waits for a permit.
type Waiting struct {
	Who Who
	// Since when, and when it asked last.
	Since, Seen int64
	// Called until then: a permit is free for it; 0 if it was not called.
	Called int64
	// Due is when it asks again, of a rate, which calls nobody; 0 of a limit.
	Due int64
}

// Gone reports whether it is not heard of any more.
func (w *Waiting) Gone(now time.Time) bool {
	if w.Due > 0 {
		return w.Due+RateSilence.Milliseconds() <= now.UnixMilli()
	}
	return w.Seen+Silence.Milliseconds() <= now.UnixMilli()
}

// Answer is what became of asking for a permit.
type Answer int

// The answers.
const (
	// Taken: the permit stands in the State.
	Taken Answer = iota
	// Waits: it stands in the line, and is called when it is its turn.
	Waits
	// Full: no permit is free for it, and the line is full.
	Full
)

// Closed is what is Set of a limit that gives no permits.
const Closed = -1

// Permits is how many there are. Of two numbers that the code declares the lower one counts, so that
// the promise of each build holds.
func (s *State) Permits() int {
	switch {
	case s.Set != 0:
		return max(s.Set, 0)
	case s.Other.N > 0:
		return min(s.N, s.Other.N)
	}
	return s.N
}

// Ask asks for a permit that lasts until then. n is how many there are by the code.
// It returns the State that is to be written, which is the same for Full, and whom to call.
func (s State) Ask(who Who, token string, n int, now, until time.Time) (next State, a Answer, called []Who) {
	next = s.changed(now)
	next.declares(n, 0, now)
	ms := now.UnixMilli()
	mine := slices.IndexFunc(next.Line, func(w Waiting) bool { return w.Who == who })
	before := next.Line
	if mine >= 0 {
		before = next.Line[:mine]
	}
	ahead := 0
	for _, w := range before {
		if w.counts(ms) {
			ahead++
		}
	}
	switch free := next.Permits() - len(next.Held); {
	case free > ahead:
		a = Taken
		if mine >= 0 {
			next.Line = slices.Delete(next.Line, mine, mine+1)
		}
		next.Held = append(next.Held, Held{Who: who, Token: token, Since: ms, Until: until.UnixMilli()})
	case mine >= 0:
		a = Waits
		next.Line[mine].Seen, next.Line[mine].Called = ms, 0
	case len(next.Line) < MaxLine:
		a = Waits
		next.Line = append(next.Line, Waiting{Who: who, Since: ms, Seen: ms})
	default:
		a = Full
	}
	return next, a, next.call(ms)
}

// Has reports whether there is a permit of that token.
func (s *State) Has(token string) bool {
	return slices.ContainsFunc(s.Held, func(h Held) bool { return h.Token == token })
}

// Waits reports whether an attempt stands in the line.
func (s *State) Waits(who Who) bool {
	return slices.ContainsFunc(s.Line, func(w Waiting) bool { return w.Who == who })
}

// Since is when an attempt came into the line, if it stands there.
func (s *State) Since(who Who) (at time.Time, is bool) {
	i := slices.IndexFunc(s.Line, func(w Waiting) bool { return w.Who == who })
	if i < 0 {
		return at, false
	}
	return time.UnixMilli(s.Line[i].Since), true
}

// Give gives a permit back.
func (s State) Give(token string, now time.Time) (next State, called []Who) {
	next = s.changed(now)
	next.Held = slices.DeleteFunc(next.Held, func(h Held) bool { return h.Token == token })
	return next, next.call(now.UnixMilli())
}

// IsListed notes that the key was put into the list of keys.
func (s State) IsListed(now time.Time) (next State, called []Who) {
	next = s.changed(now)
	next.Listed = now.UnixMilli()
	return next, next.call(next.Listed)
}

// Leave takes an attempt out of the line.
func (s State) Leave(who Who, now time.Time) (next State, called []Who) {
	next = s.changed(now)
	next.Line = slices.DeleteFunc(next.Line, func(w Waiting) bool { return w.Who == who })
	return next, next.call(now.UnixMilli())
}

// Pass passes over an attempt that was called and does not come. It reports whether
// there is one.
func (s State) Pass(who Who, now time.Time) (next State, called []Who, is bool) {
	next = s.changed(now)
	i := slices.IndexFunc(next.Line, func(w Waiting) bool { return w.Who == who && w.Called > now.UnixMilli() })
	if i < 0 {
		return s, nil, false
	}
	next.Line[i].Called = now.UnixMilli()
	return next, next.call(now.UnixMilli()), true
}

// StillWaiting are those of the attempts that stand in the line and were called.
func (s *State) StillWaiting(called []Who) []Who {
	return slices.DeleteFunc(called, func(who Who) bool {
		return !slices.ContainsFunc(s.Line, func(w Waiting) bool { return w.Who == who && w.Called > 0 })
	})
}

// WithSet has as many permits as an operator says, Closed for none, 0 for as many as the code says.
func (s State) WithSet(n int, by string, now time.Time) State {
	next := s.changed(now)
	next.Set, next.SetPerMS, next.SetBy, next.SetAt = n, 0, by, now.UnixMilli()
	return next
}

// FirstFree is when the time of the first permit is over; zero if all are free.
func (s *State) FirstFree() (at time.Time) {
	for i, h := range s.Held {
		if until := time.UnixMilli(h.Until); i == 0 || until.Before(at) {
			at = until
		}
	}
	return at
}

// First reports whether an attempt is the first in the line.
func (s *State) First(who Who) bool { return len(s.Line) > 0 && s.Line[0].Who == who }

// changed is a copy that may be changed, the next version, without what is over.
func (s State) changed(now time.Time) State {
	ms := now.UnixMilli()
	s.Version++
	s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(h Held) bool { return h.Until <= ms })
	s.Line = slices.DeleteFunc(slices.Clone(s.Line), func(w Waiting) bool { return w.Gone(now) })
	if s.Other.Gone(now) {
		s.Other = Other{}
	}
	return s
}

// counts reports whether a permit is kept for it: it was not called yet, or may still come.
func (w *Waiting) counts(ms int64) bool { return w.Called == 0 || w.Called > ms }

// call notes as called those for whom permits are free now, and returns those who were
// not called before.
func (s *State) call(ms int64) (called []Who) {
	free := s.Permits() - len(s.Held)
	for i := range s.Line {
		w := &s.Line[i]
		if free <= 0 {
			break
		}
		if w.Due > 0 || !w.counts(ms) {
			continue
		}
		free--
		if w.Called == 0 {
			w.Called = ms + CallTime.Milliseconds()
			called = append(called, w.Who)
		}
	}
	return called
}
