package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// drawShows decides whether a program says before each statement how far it is. It
// says one of two things by turns, so that what it says comes back.
func drawShows(c *choice.Choices, name string) bool {
	return c.OneIn(c.At(c.At(choice.OfProgram, name), "shows"), 4)
}

// show sets the custom status before a statement.
func (r *interpreter) show(ctx *engine.Context) error {
	return ctx.SetCustomStatus(fmt.Appendf(nil, `"hidden step %d"`, r.count%2))
}

// asTerminated is the error of something that was terminated. Code that returns it fails,
// and is not terminated itself.
func asTerminated() error {
	return &engine.FailureError{What: "something else", Failure: history.Failure{Kind: history.FailureTerminated, Message: "as it has to"}}
}
