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

// problemIn returns the problem with which a draft leaves its instance, parked or run; nil if the
// instance can continue.
func (t *Turn) problemIn(d *draft) *store.Problem {
	switch {
	case t.Suspicion.Poison:
		return t.stamped(killedProblem(t.Group.Suspect))
	case t.round.parks && t.round.blocked != nil:
		return t.stamped(t.blockedProblem())
	case d.Stuck != nil:
		return t.stamped(problemOf(d.Stuck))
	}
	return nil
}

// stamped returns a problem with the build that found it and the last event of the history.
func (t *Turn) stamped(p store.Problem) *store.Problem {
	p.Build, p.ExecutionID, p.LastEventID = t.By.Build, t.Running.Execution, t.Running.X.LastEventID()
	return &p
}

func killedProblem(message string) store.Problem {
	return store.Problem{Kind: store.ProblemKilled, Message: fmt.Sprintf(
		"handling message %s ended the process twice before the turn could return (out of memory, the function's timeout, a fatal error); its events are recorded, and only wakes run the code: raise the limits or deploy a fix",
		message)}
}

// blockedProblem returns why an instance with blocked code is stuck: its current problem if it has
// one.
func (t *Turn) blockedProblem() store.Problem {
	if p := t.View.Problem(); p != nil && p.Kind != store.ProblemCorrupt {
		return *p
	}
	message := "the code blocks outside durable operations; this process does not run it again until the blocked code returns"
	if t.round.blocked.Unwinding {
		message = "a deferred function blocks while the orchestration is unwound; it must not wait for anything: unlock what is locked, and leave sleeps, channels and I/O to activities"
	}
	return problemOf(&engine.StuckError{Kind: engine.StuckBlocked, EventID: t.Running.X.LastEventID(), Message: message, Stack: t.round.blocked.Stack})
}
