package turnstile

import "github.com/turnstile-go/turnstile/engine"

// OrchestrationInfo is what an orchestration can learn about itself: Instance,
// ExecutionID, Name, Version, HistoryLength, the number of events that the
// execution has so far, as of the point that the code has reached,
// ContinueAsNewSuggested, which is set from 4,096 events on, and the Headers
// that came with its start.
type OrchestrationInfo = engine.Info

// Info returns what the orchestration can learn about itself. It records
// nothing.
func Info(ctx Context) OrchestrationInfo { return ctx.engine("Info").Info() }
