// Package rehearsal replays a stored history with the code of an application, to find out
// whether the code still follows the history, and at which lines it waits. It writes and sends nothing.
package rehearsal

import (
	"cmp"
	"errors"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/watchdog"
	"github.com/turnstile-go/turnstile/store"
)

// Of identifies the history.
type Of struct {
	Instance    string
	ExecutionID int64
	// NowMS is the current time, in Unix milliseconds.
	NowMS int64
	// Encoded keeps the text of payloads out of the problem.
	Encoded bool
}

// Run returns the problem if the code does not follow a history, or nil if it does. events
// are all events from the first, with decoded payloads. The result is also nil if code and
// history diverge at a patch that another build may have. Run abandons code that makes no
// progress for [watchdog.Limit].
//
// Run returns an error only if the history is damaged.
func Run(registry *engine.Registry, of Of, events []history.Event) (*store.Problem, error) {
	options := engine.Options{Guard: watchdog.Real(watchdog.Limit)}
	if of.Encoded {
		options.Conceal = func([]byte) string { return "an encoded payload" }
	}
	x := engine.New(engine.Config{Instance: of.Instance, ExecutionID: of.ExecutionID, Registry: registry, Options: options})
	defer x.Close()
	if err := x.Feed(events, false); err != nil {
		return nil, err
	}
	turn, err := x.Run(engine.Input{NowMS: of.NowMS})
	if err != nil {
		return nil, err
	}
	// Instead is set for an orchestration that fails instead of getting stuck.
	if s := cmp.Or(turn.Stuck, turn.Instead); s != nil && s.Patch == "" {
		return ProblemOf(s), nil
	}
	return nil, nil
}

// ProblemOf returns the problem of an instance whose code cannot continue.
func ProblemOf(s *engine.StuckError) *store.Problem {
	p := &store.Problem{Kind: string(s.Kind), EventID: s.EventID, Message: s.Message, Stack: s.Stack}
	if parted, is := errors.AsType[*engine.NondeterminismError](s); is {
		p.Diff = &store.ProblemDiff{Have: parted.Recorded, Did: parted.Attempted, At: parted.Location}
	}
	return p
}
