package turnstile

// OrchestrationInfo is what an orchestration can learn about itself.
type OrchestrationInfo struct {
	Instance    string
	ExecutionID int64
	Name        string
	Version     string
	// HistoryLength is the number of events that the execution has so far, as of
	// the point that the code has reached: the same on every replay.
	HistoryLength int64
	// ContinueAsNewSuggested is set from 4,096 events on: a replay from nothing
	// takes its time, and a history has a limit.
	ContinueAsNewSuggested bool
	// Headers of what is started with the context, nil for none: those that came
	// with the start, and those that [WithHeaders] gave the context. Not to be
	// changed.
	Headers map[string]string
}

// Info returns what the orchestration can learn about itself. It records
// nothing.
func Info(ctx Context) OrchestrationInfo {
	return OrchestrationInfo(ctx.engine("Info").Info())
}
