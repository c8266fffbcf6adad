package program

import (
	"strconv"

	"github.com/turnstile-go/turnstile/engine"
)

// Headers are those that an execution of a program gives to all that it starts,
// and to the execution that follows it.
func Headers(executionID int64) map[string]string {
	return map[string]string{"execution": strconv.FormatInt(executionID, 10)}
}

// headed is the context with which an execution of a program runs.
func headed(ctx *engine.Context) *engine.Context {
	return ctx.WithHeaders(Headers(ctx.Info().ExecutionID))
}
