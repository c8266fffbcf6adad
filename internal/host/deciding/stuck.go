package deciding

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/internal/host/edge"
	"github.com/turnstile-go/turnstile/store"
)

// Longest texts of a problem, in bytes.
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

// problemIn is the problem with which a draft leaves its instance, parked or run;
// nil if it can go on.
func (t *Turn) problemIn(d *draft) *store.Problem {
	switch {
	case t.Suspicion.Killer:
		return t.stamped(killedProblem(t.Group.Suspect))
	case t.round.parks && t.round.blocked != nil:
		return t.stamped(t.blockedProblem())
	case d.Stuck != nil:
		return t.stamped(problemOf(d.Stuck))
	}
	return nil
}

// stamped is a problem with the build that found it and the place where the history stands.
func (t *Turn) stamped(p store.Problem) *store.Problem {
	p.Build, p.ExecutionID, p.LastEventID = t.By.Build, t.Running.Execution, t.Running.X.LastEventID()
	return &p
}

func killedProblem(message string) store.Problem {
	return store.Problem{Kind: store.ProblemKilled, Message: fmt.Sprintf(
		"handling message %s ended the process twice before the turn could return (out of memory, the function's timeout, a fatal error); its arrivals are recorded and the code is run by wake-ups only: raise the limits or deploy a fix",
		message)}
}

// blockedProblem is why such an instance is stuck: what it is stuck for already,
// if it is.
func (t *Turn) blockedProblem() store.Problem {
	if p := t.View.Problem(); p != nil && p.Kind != store.ProblemCorrupt {
		return *p
	}
	message := "the code blocks outside durable operations, in a process that does not run it again until it has come to an end"
	if t.round.blocked.Unwinding {
		message = "a deferred function blocks while the orchestration is put away; it must not wait for anything: unlock what is locked, and leave sleeps, channels and I/O to activities"
	}
	return problemOf(&engine.StuckError{Kind: engine.StuckBlocked, EventID: t.Running.X.LastEventID(), Message: message, Stack: t.round.blocked.Stack})
}
