package dispatch

import (
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/host/backoff"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
	"github.com/turnstile-go/turnstile/store"
)

// Chain counts the turns in a row that led, without a pause, to the messages that are being sent:
// each turn was caused by a message of the previous turn or by a continue-as-new. That count is the
// depth. A timer and a message from outside start again at zero, because their items carry no
// depth.
//
// A message that follows from the result of a queued activity starts at zero too, because an
// orchestration may run as many activities in a row as it likes. However, the result of an activity
// that took less than a second (delivery.Quick) carries the depth of the round that scheduled the
// activity. If the execution also took less than a second and continues as new because of the
// result, the next execution is one deeper, because a loop with only such an activity costs as much
// as a loop without it.
//
// The depth counts rounds and not turns (rule 2: a round is an arrival and the code's reaction to
// it). A message is one deeper than the arrival that caused it, whatever else was in the same
// batch. So a message from outside that is handled together with messages of a loop neither hides
// the loop nor counts as part of it.
type Chain struct {
	// Depth of the current round. Worked is the depth that results of queued activities carried into
	// it.
	Depth, Worked int
	// Open is set if the next arrivals belong to the same round, because the round has only been
	// recorded so far. The round then has the greatest depth of all of its arrivals.
	Open bool
	// Arrived returns the depth of the message that reported an event of a commit; false if no
	// message of this turn did.
	Arrived func(*store.Turn, *history.Event) (depth int, ok bool)
	// Started is when the current execution started, in milliseconds since 1970.
	Started int64
	// carried is set if the next commit starts an execution with the events that the previous
	// execution left unconsumed.
	carried bool
}

// arrival records an arrival, which starts a round or joins it.
func (c *Chain) arrival(e *history.Event, depth int) {
	if !c.Open {
		c.Depth, c.Worked = 0, 0
	}
	if e.Kind == history.ActivityCompleted || e.Kind == history.ActivityFailed {
		c.Worked = max(c.Worked, depth)
		return
	}
	c.Depth = max(c.Depth, depth)
}

// Deepest returns the depth with which the turn continues.
func (c *Chain) Deepest() int { return max(c.Depth, c.Worked) }

// follow records an event of a commit.
func (c *Chain) follow(t *store.Turn, e *history.Event) {
	if e.Kind == history.OrchestrationStarted {
		c.Started = e.AtMS
	}
	switch {
	case !e.Kind.Arrival():
		c.Open = false
	case c.Arrived == nil || c.carried:
	default:
		if depth, ok := c.Arrived(t, e); ok {
			c.arrival(e, depth)
			c.Open = c.Open || t.Parked
		}
	}
}

// commits ends a commit. If the execution continues as new, its next execution starts one deeper.
func (c *Chain) commits(t *store.Turn, s *host.LoopSettings) {
	end := &t.Events[len(t.Events)-1]
	c.carried = end.Kind == history.OrchestrationContinuedAsNew
	if !c.carried {
		return
	}
	depth := c.Depth
	if c.Worked > depth && !c.tookTime(end, s) {
		depth = c.Worked
	}
	c.Depth, c.Worked, c.Open = depth+1, 0, false
}

// tookTime reports whether an execution that continues as new after the result of an activity ran
// longer than an execution of a loop would. The threshold includes the pause of its depth, which
// may have delayed the code of a loop.
func (c *Chain) tookTime(end *history.Event, s *host.LoopSettings) bool {
	return time.Duration(end.AtMS-c.Started)*time.Millisecond >= delivery.Quick+2*Pause(s, c.Worked)
}

// Slowed has the number of messages that wait because of their depth, and the longest of these
// waits.
type Slowed struct {
	Messages int
	Longest  time.Duration
}

func (s *Slowed) add(pause time.Duration) {
	s.Messages++
	s.Longest = max(s.Longest, pause)
}

// Pause returns how long a message of a depth waits before it is delivered; 0 if it is delivered at
// once, as nearly all are.
func Pause(s *host.LoopSettings, depth int) time.Duration {
	if s == nil || s.Fail || !s.Beyond(depth) {
		return 0
	}
	return backoff.Grown(s.First, s.Max, depth-s.Depth-1)
}
