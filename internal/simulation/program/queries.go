package program

import (
	"strconv"

	"github.com/turnstile-go/turnstile/engine"
)

// HowFar is the query that each program answers with the number of statements that it has started.
const HowFar = "how far"

// answerQueries registers the handler. The handler also changes the variables that the program depends
// on, which is harmless if the queried execution is used for nothing else.
func (r *interpreter) answerQueries(ctx *engine.Context) error {
	return ctx.HandleQuery(HowFar, func([]byte) ([]byte, error) {
		n := r.count
		r.count, r.program = -1, nil
		return strconv.AppendInt(nil, int64(n), 10), nil
	})
}
