package dispatch

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/store"
)

// Chain is how many turns in a row have led to what is sent, each by a message of the
// one before or by a continue-as-new, and without a pause: its depth. A timer, the
// result of a queued activity and a message from outside begin at zero again, because
// their items carry no depth.
//
// The depth counts rounds and not turns (rule 2: a round is an arrival and the code's
// answer to it): a message is one deeper than the arrival that it answers, whatever else
// came in the same batch. So a message from outside that is handled beside those of a
// loop neither hides the loop nor is taken for a part of it.
type Chain struct {
	// Depth of the round that goes on.
	Depth int
	// Open: the next arrivals belong to the same round, because it was only recorded so
	// far; it has the largest of their depths.
	Open bool
	// Arrived returns the depth of the message that brought an event of a commit; false
	// where none of this turn has.
	Arrived func(*store.Turn, *history.Event) (depth int, ok bool)
	// carried: the next commit begins an execution, with what the one before has left.
	carried bool
}

// arrival takes in what begins a round, or joins it.
func (c *Chain) arrival(depth int) {
	if c.Open {
		depth = max(depth, c.Depth)
	}
	c.Depth = depth
}

// follow takes in an event of a commit.
func (c *Chain) follow(t *store.Turn, e *history.Event) {
	switch {
	case !e.Kind.Arrival():
		c.Open = false
	case c.Arrived == nil || c.carried:
	default:
		if depth, ok := c.Arrived(t, e); ok {
			c.arrival(depth)
			c.Open = c.Open || t.Parked
		}
	}
}

// commits takes in the end of a commit.
func (c *Chain) commits(t *store.Turn) {
	c.carried = t.Events[len(t.Events)-1].Kind == history.OrchestrationContinuedAsNew
	if c.carried {
		c.Depth, c.Open = c.Depth+1, false
	}
}

// Slowed is how many messages wait for their depth, and how long at most.
type Slowed struct {
	Messages int
	Longest  time.Duration
}

func (s *Slowed) add(pause time.Duration) {
	s.Messages++
	s.Longest = max(s.Longest, pause)
}

// Pause returns how long what has a depth waits before it is delivered; 0 where it is
// delivered at once, as nearly everything is.
func Pause(s *host.LoopSettings, depth int) time.Duration {
	if s == nil || s.Fail || !s.Beyond(depth) {
		return 0
	}
	return backoff.Grown(s.First, s.Max, depth-s.Depth-1)
}
