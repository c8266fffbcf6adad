package turnstile

// OrchestrationInfo describes the running orchestration.
type OrchestrationInfo struct {
	Instance    string
	ExecutionID int64
	Name        string
	Version     string
	// HistoryLength is the number of events of the execution up to the point that the code has
	// reached. It is the same on every replay.
	HistoryLength int64
	// ContinueAsNewSuggested is true from 4,096 events on, because a cold replay of a long history
	// takes time and a history has a limit.
	ContinueAsNewSuggested bool
	// Headers are the headers of everything that is started with the context: those of the
	// orchestration's start and those of [WithHeaders]; nil if there are none. Do not change the
	// map.
	Headers map[string]string
}

// Info describes the running orchestration. It records nothing.
func Info(ctx Context) OrchestrationInfo {
	return OrchestrationInfo(ctx.engine("Info").Info())
}
