package limits

import (
	"strings"
	"time"
)

// ratePrefix distinguishes the name of a rate from the name of a limit. A key contains no control character.
const ratePrefix = "rate\t"

// OfRate returns the name of the rate with this key.
func OfRate(key string) string { return ratePrefix + key }

// IsRate returns the key of a rate, and whether the name is that of a rate.
func IsRate(limit string) (key string, is bool) { return strings.CutPrefix(limit, ratePrefix) }

// parts is the number of parts into which the span of a rate is divided. Times of permits are rounded up to the end of a
// part, so the item of a rate holds few distinct times, and a permit is free again at most one part late.
const parts = 50

// Passed counts permits of a rate that were taken at, or in advance for, the same time.
type Passed struct {
	At int64
	N  int
}

// Rate returns the number of attempts that may start per span, and the span: as set by an operator, or else as declared
// by the code. It returns 0 if no attempt may start.
func (s *State) Rate(n int, span time.Duration) (int, time.Duration) {
	if s.Set != 0 {
		n = max(s.Set, 0)
		if s.SetPerMS > 0 {
			span = time.Duration(s.SetPerMS) * time.Millisecond
		}
	}
	return n, span
}

// WithSetRate is WithSet for a rate. A span above 0 replaces the code's span.
func (s State) WithSetRate(n int, span time.Duration, by string, now time.Time) State {
	next := s.WithSet(n, by, now)
	next.SetPerMS = span.Milliseconds()
	return next
}

// Pass takes up to want permits of a rate that the code declares as n per span. It returns the time at which each permit
// is valid, in order and none later than latest. next is the time of the next free permit; zero if there will be none.
func (s *State) Pass(want, n int, span time.Duration, now, latest time.Time) (taken []time.Time, next time.Time) {
	n, span = s.Rate(n, span)
	keep := max(span.Milliseconds(), s.PerMS, s.Other.PerMS, s.SetPerMS)
	for len(s.Passed) > 0 && s.Passed[0].At+keep <= now.UnixMilli() {
		s.Passed = s.Passed[1:]
	}
	if n == 0 {
		return nil, time.Time{}
	}
	for {
		if next = time.UnixMilli(s.before(n) + span.Milliseconds()); next.Before(now) {
			next = now
		}
		if len(taken) == want || next.After(latest) {
			return taken, next
		}
		s.pass(wholeMS(next).UnixMilli(), max(span.Milliseconds()/parts, 1))
		taken = append(taken, next)
	}
}

// before returns the time of the n-th permit from the end, or 0 if fewer were taken.
func (s *State) before(n int) int64 {
	for i := len(s.Passed) - 1; i >= 0; i-- {
		if n -= s.Passed[i].N; n <= 0 {
			return s.Passed[i].At
		}
	}
	return 0
}

// pass records a permit, with its time rounded up to a multiple of part.
func (s *State) pass(at, part int64) {
	at = (at + part - 1) / part * part
	if last := len(s.Passed) - 1; last >= 0 && s.Passed[last].At >= at {
		s.Passed[last].N++
		return
	}
	s.Passed = append(s.Passed, Passed{at, 1})
}

// wholeMS rounds a time up to milliseconds, the precision of stores. If it were rounded down, a permit would be free
// again before its span is over.
func wholeMS(t time.Time) time.Time { return t.Add(time.Millisecond - 1).Truncate(time.Millisecond) }
