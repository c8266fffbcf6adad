package limits

import (
	"cmp"
	"time"
)

// OtherTime is for how long a number counts with which code has asked, beside that of code which
// asks now. An attempt that waits asks each MaxWait.
const OtherTime = 2 * MaxWait

// Other is a number that other code declares for the same key: another build, a call with another
// option, or an attempt that was scheduled by an earlier build, whose number stands in its message.
type Other struct {
	N int `json:"n"`
	// PerMS is the span of a rate.
	PerMS int64 `json:"per,omitempty"`
	// Asked is when an attempt has asked with it at the latest, in milliseconds since 1970.
	Asked int64 `json:"asked"`
}

// Gone reports whether nobody has asked with it for OtherTime.
func (o Other) Gone(now time.Time) bool { return o.Asked+OtherTime.Milliseconds() <= now.UnixMilli() }

// declares notes with which number an attempt asks. The one before it becomes the other; of more
// than two the lowest.
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
