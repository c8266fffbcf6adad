package limits

import (
	"cmp"
	"time"
)

// OtherTime is how long a number still applies after code last asked with it, if other code asks with another number. A
// waiting attempt asks at least once per MaxWait.
const OtherTime = 2 * MaxWait

// Other is a number that other code declares for the same key: another build, a call with a different option, or an
// attempt scheduled by an earlier build, whose message carries its number.
type Other struct {
	N int `json:"n"`
	// PerMS is the span of a rate.
	PerMS int64 `json:"per,omitempty"`
	// Asked is when an attempt last asked with this number, in milliseconds since 1970.
	Asked int64 `json:"asked"`
}

// Gone reports whether no attempt has asked with this number for OtherTime.
func (o Other) Gone(now time.Time) bool { return o.Asked+OtherTime.Milliseconds() <= now.UnixMilli() }

// declares records the number with which an attempt asks. The previous number becomes Other. If Other is already set,
// the lower of the two is kept.
func (s *State) declares(n int, perMS int64, now time.Time) {
	if s.N == n && s.PerMS == perMS {
		return
	}
	before, other := Other{s.N, s.PerMS, now.UnixMilli()}, s.Other
	s.N, s.PerMS = n, perMS
	if other.N == n && other.PerMS == perMS {
		other = Other{}
	}
	if before.N > 0 && (other.N == 0 || cmp.Or(cmp.Compare(before.N, other.N), cmp.Compare(other.PerMS, before.PerMS)) < 0) {
		other = before
	}
	s.Other = other
}
