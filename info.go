package turnstile

import "github.com/turnstile-go/turnstile/engine"

// OrchestrationInfo is what an orchestration can learn about itself: Instance,
// ExecutionID, Name, Version, and HistoryLength, the number of events that the
// execution has so far, as of the point that the code has reached.
type OrchestrationInfo = engine.Info

// Info returns what the orchestration can learn about itself. It records
// nothing.
func Info(ctx Context) OrchestrationInfo { return ctx.engine("Info").Info() }
