package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
)

// drawShows decides whether a program reports its progress before each statement. It
// alternates between two texts, so that a text recurs.
func drawShows(c *choice.Choices, name string) bool {
	return c.OneIn(c.At(c.At(choice.OfProgram, name), "shows"), 4)
}

// show sets two states before a statement: one whose values repeat, and one that changes at every
// third statement.
func (r *interpreter) show(ctx *engine.Context) error {
	if err := ctx.SetState("third", fmt.Appendf(nil, `"hidden third %d"`, r.count/3)); err != nil {
		return err
	}
	return ctx.SetState(history.ListedState, fmt.Appendf(nil, `"hidden step %d"`, r.count%2))
}

// asTerminated returns the error of a terminated operation. Code that returns it fails, and
// is not itself terminated.
func asTerminated() error {
	return &engine.FailureError{What: "something else", Failure: history.Failure{Kind: history.FailureTerminated, Message: "as it has to"}}
}
