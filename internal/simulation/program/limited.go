package program

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// Some statements have activities under a limit over instances. All programs of a run share
// the few keys, so that attempts of several instances wait for each other.

// limitsOf are the limits that a statement may have, and ratesOf its rates. The first stands
// for none.
var (
	limitsOf = [...]history.Retry{{}, {LimitKey: "one", Limit: 1}, {LimitKey: "two", Limit: 2}}
	ratesOf  = [...]history.Retry{{}, {RateKey: "slow", Rate: 2, RateMS: 30_000}, {RateKey: "quick", Rate: 3, RateMS: 5_000}}
)

// goesByQueue reports whether activities of such a statement use an activity queue, and may
// therefore have a limit.
func (k Kind) goesByQueue() bool {
	switch k {
	case kAct, kRace, kKeep, kJoin, kSettle, kAny, kCompleted, kPolicy, kBeat, kOnce, kPending, kSaga, kOpen, kScope:
		return true
	}
	return false
}

// drawLimits decides whether a statement has limits: one in eight has, and in a run about
// limits two of three.
func (s *Statement) drawLimits(c *choice.Choices, at choice.Spot, often bool) {
	in := 8
	if often {
		in = 2
	}
	if !s.Kind.goesByQueue() || !c.OneIn(at, in) {
		return
	}
	s.Limit = [...]int{1, 1, 1, 2, 0}[c.IntN(at, 5)]
	if s.Limit == 0 || c.OneIn(at, 4) {
		s.Rate = 1 + c.IntN(at, 2)
	}
}

// limited adds the limits of a statement to the policy of its activities.
func (s *Statement) limited(r *history.Retry) *history.Retry {
	if s.Limit == 0 && s.Rate == 0 {
		return r
	}
	if r == nil {
		r = &history.Retry{}
	}
	r.LimitKey, r.Limit = limitsOf[s.Limit].LimitKey, limitsOf[s.Limit].Limit
	r.RateKey, r.Rate, r.RateMS = ratesOf[s.Rate].RateKey, ratesOf[s.Rate].Rate, ratesOf[s.Rate].RateMS
	return r
}

// underLimits describes the limits of the statement.
func (s *Statement) underLimits() (text string) {
	if l := limitsOf[s.Limit]; l.Limit > 0 {
		text += fmt.Sprintf(", limit(%s, %d)", l.LimitKey, l.Limit)
	}
	if l := ratesOf[s.Rate]; l.Rate > 0 {
		text += fmt.Sprintf(", rate(%s, %d, %s)", l.RateKey, l.Rate, time.Duration(l.RateMS)*time.Millisecond)
	}
	return text
}
