package program

import (
	"strconv"

	"github.com/turnstile-go/turnstile/engine"
)

// HowFar is the query that each program answers with how many statements it has begun.
const HowFar = "how far"

// answerQueries registers the handler. It also spoils what the program goes by, which harms nothing where
// the execution that was asked is used for nothing else.
func (r *interpreter) answerQueries(ctx *engine.Context) error {
	return ctx.HandleQuery(HowFar, func([]byte) ([]byte, error) {
		n := r.count
		r.count, r.program = -1, nil
		return strconv.AppendInt(nil, int64(n), 10), nil
	})
}
