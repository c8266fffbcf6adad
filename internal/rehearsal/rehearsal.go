// Package rehearsal runs the code of an application through a history that is stored,
// to find out whether the code still does what the history says. Nothing is written or sent.
package rehearsal

import (
	"cmp"
	"errors"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Of says whose history it is.
type Of struct {
	Instance    string
	ExecutionID int64
	// NowMS is the time, in Unix milliseconds.
	NowMS int64
	// Sealed keeps the text of payloads out of the problem.
	Sealed bool
}

// Run returns why the code does not follow a history, opened and from its first event; nil if
// it does. It is nil too where code and history part at a patch that another build may have.
// Code that makes no progress for [Limit] is left behind.
//
// The error is that of a history that is damaged.
func Run(registry *engine.Registry, of Of, events []history.Event) (*store.Problem, error) {
	options := engine.Options{Guard: Guard{Limit}}
	if of.Sealed {
		options.Conceal = func([]byte) string { return "a sealed payload" }
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
	// The second is of an orchestration that fails where it would be stuck.
	if s := cmp.Or(turn.Stuck, turn.Instead); s != nil && s.Patch == "" {
		return problemOf(s), nil
	}
	return nil, nil
}

func problemOf(s *engine.StuckError) *store.Problem {
	p := &store.Problem{Kind: string(s.Kind), EventID: s.EventID, Message: s.Message, Stack: s.Stack}
	if parted, is := errors.AsType[*engine.NondeterminismError](s); is {
		p.Diff = &store.ProblemDiff{Have: parted.Recorded, Did: parted.Attempted, At: parted.Location}
	}
	return p
}
