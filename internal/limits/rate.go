package limits

import (
	"slices"
	"strings"
	"time"
)

// The State of a rate says what an operator has set, and who waits; its permits are items of
// their own, because many processes take them at once. So nothing of the promise of a rate
// hangs on who stands in its line, which is for people to look at.

// ratePrefix is what the name of a rate begins with among those of limits. A control character is
// in no key.
const ratePrefix = "rate\t"

// OfRate is the name of a rate with this key among those of limits.
func OfRate(key string) string { return ratePrefix + key }

// IsRate returns the key of a rate, if that is what has the name.
func IsRate(limit string) (key string, is bool) { return strings.CutPrefix(limit, ratePrefix) }

// Rate is how many attempts may begin within which span: as an operator has set it, or else as
// the code says. 0 if nobody may.
func (s *State) Rate(n int, span time.Duration) (int, time.Duration) {
	if s.Set != 0 {
		n = max(s.Set, 0)
		if s.SetPerMS > 0 {
			span = time.Duration(s.SetPerMS) * time.Millisecond
		}
	}
	return n, span
}

// WithSetRate is WithSet of a rate, in a span that is not that of the code if it is more than 0.
func (s State) WithSetRate(n int, span time.Duration, by string, now time.Time) State {
	next := s.WithSet(n, by, now)
	next.SetPerMS = span.Milliseconds()
	return next
}

// AskAgain notes that an attempt waits for the rate, which the code says is n in a span, and asks
// again when it is due. If the line is full it reports false, and nothing has changed.
func (s State) AskAgain(who Who, n int, span time.Duration, now, due time.Time) (next State, noted bool) {
	next = s.changed(now)
	next.declares(n, span.Milliseconds(), now)
	i := slices.IndexFunc(next.Line, func(w Waiting) bool { return w.Who == who })
	switch {
	case i >= 0:
		next.Line[i].Seen, next.Line[i].Due = now.UnixMilli(), due.UnixMilli()
	case len(next.Line) >= MaxLine:
		return s, false
	default:
		next.Line = append(next.Line, Waiting{Who: who, Since: now.UnixMilli(), Seen: now.UnixMilli(), Due: due.UnixMilli()})
	}
	return next, true
}
