package deciding

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/store"
)

// The longest texts of a problem, in bytes.
const (
	maxProblemMessage = 4 << 10
	MaxProblemStack   = 16 << 10
	maxProblemDiff    = 1 << 10 // each of its texts
)

func problemOf(s *engine.StuckError) store.Problem {
	p := store.Problem{Kind: string(s.Kind), Message: edge.Cut(s.Message, maxProblemMessage), EventID: s.EventID, Stack: edge.Cut(s.Stack, MaxProblemStack)}
	if parted, ok := errors.AsType[*engine.NondeterminismError](s); ok {
		p.Diff = &store.ProblemDiff{Have: edge.Cut(parted.Recorded, maxProblemDiff), Did: edge.Cut(parted.Attempted, maxProblemDiff), At: edge.Cut(parted.Location, maxProblemDiff)}
	}
	return p
}

// problem returns the problem that the instance has after the draft, whether its arrivals were
// parked or run; nil if the instance can continue. The problem names the build that found it and
// the last event of the history.
func (r *round) problem() *store.Problem {
	var p store.Problem
	switch k, d := r.k, r.draft; {
	case r.suspicion.poison():
		p = killedProblem(k.Group.Suspect)
	case d.leaves == parked && r.blocked != nil:
		p = blockedProblem(r.blocked, k.View.Problem(), k.Running.X.LastEventID())
	case d.Stuck != nil:
		p = problemOf(d.Stuck)
	default:
		return nil
	}
	p.Build, p.ExecutionID, p.LastEventID = r.k.By.Build, r.k.Running.Execution, r.k.Running.X.LastEventID()
	return &p
}

func killedProblem(message string) store.Problem {
	return store.Problem{Kind: store.ProblemKilled, Message: fmt.Sprintf(
		"handling message %s ended the process twice before the turn could return (out of memory, the function's timeout, a fatal error); its events are recorded, and only wakes run the code: raise the limits or deploy a fix",
		message)}
}

// blockedProblem returns why an instance with blocked code is stuck: its current problem if it has
// one.
func blockedProblem(b *engine.Blocked, current *store.Problem, last int64) store.Problem {
	if current != nil && current.Kind != store.ProblemCorrupt {
		return *current
	}
	message := "the code blocks outside durable operations; this process does not run it again until the blocked code returns"
	if b.Unwinding {
		message = "a deferred function blocks while the orchestration is unwound; it must not wait for anything: unlock what is locked, and leave sleeps, channels and I/O to activities"
	}
	return problemOf(&engine.StuckError{Kind: engine.StuckBlocked, EventID: last, Message: message, Stack: b.Stack})
}
