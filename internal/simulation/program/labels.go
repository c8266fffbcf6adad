package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// label returns the label of what a statement starts; empty for most statements.
func (s *Statement) label() string {
	if s.ID%7 != 4 {
		return ""
	}
	return fmt.Sprintf("statement %d", s.ID)
}

// labelled returns the context with which a statement runs.
func (s *Statement) labelled(ctx *engine.Context) *engine.Context {
	if label := s.label(); label != "" {
		return ctx.WithLabel(label)
	}
	return ctx
}

// Labels calls yield for each statement, with the label that must be recorded for what it
// starts: its own label behind those of the statements in whose branches it is.
func (p *Program) Labels(yield func(id int, label string)) { labelsOf(p.Body, "", yield) }

func labelsOf(b []*Statement, outer string, yield func(id int, label string)) {
	for _, s := range b {
		label := outer
		if own := s.label(); own != "" {
			if label != "" {
				label += " / "
			}
			label += own
		}
		yield(s.ID, label)
		for _, branch := range s.Branches {
			labelsOf(branch, label, yield)
		}
	}
}

// MayBeLabelled reports whether a program can start something of this kind with a label.
func MayBeLabelled(e *history.Event) bool {
	return e.Kind != history.ExternalRejected && (e.Kind != history.SystemCall || e.Instance != "")
}
