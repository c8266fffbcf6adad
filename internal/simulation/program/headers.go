package program

import (
	"strconv"

	"github.com/turnstile-go/turnstile/engine"
)

// Headers returns the headers that an execution of a program gives to everything that it
// starts, and to its next execution.
func Headers(executionID int64) map[string]string {
	return map[string]string{"execution": strconv.FormatInt(executionID, 10)}
}

// headed returns the context with which an execution of a program runs.
func headed(ctx *engine.Context) *engine.Context {
	return ctx.WithHeaders(Headers(ctx.Info().ExecutionID))
}
