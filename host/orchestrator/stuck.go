package orchestrator

import (
	"errors"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/host/internal/edge"
	"github.com/turnstile-go/turnstile/store"
)

// Longest texts of a problem, in bytes.
const (
	maxProblemMessage = 4 << 10
	maxProblemStack   = 16 << 10
	maxProblemDiff    = 1 << 10 // each of its texts
)

func problemOf(s *engine.StuckError) store.Problem {
	p := store.Problem{Kind: string(s.Kind), Message: edge.Cut(s.Message, maxProblemMessage), EventID: s.EventID, Stack: edge.Cut(s.Stack, maxProblemStack)}
	if parted, ok := errors.AsType[*engine.NondeterminismError](s); ok {
		p.Diff = &store.ProblemDiff{Have: edge.Cut(parted.Recorded, maxProblemDiff), Did: edge.Cut(parted.Attempted, maxProblemDiff), At: edge.Cut(parted.Location, maxProblemDiff)}
	}
	return p
}

// loggedProblem is what a line says of a problem. The record has all of it; the
// message of a panic, or of code that has parted from its history, may quote a
// payload, which logs have only if they are to.
func (t *turn) loggedProblem(p *store.Problem) string {
	quotes := p.Kind == string(engine.StuckPanic) || p.Kind == string(engine.StuckNondeterminism)
	if !quotes || t.Settings.LogPayloads || t.Codecs != nil { // with codecs it quotes none
		return p.Message
	}
	text := "see the instance's record for the reason (describe), which may quote payloads"
	if p.Diff != nil && p.Diff.At != "" {
		text += "; the code is at " + p.Diff.At
	} else if place := engine.PlaceOf(p.Stack); place != "" {
		text += "; the code is at " + place
	}
	return text
}
