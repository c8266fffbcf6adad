package history

// Kind says what an event records.
type Kind uint8

// The event kinds, by their names in JSON.
const (
	KindUnknown Kind = iota

	// Lifecycle events.
	OrchestrationStarted
	OrchestrationCompleted
	OrchestrationFailed
	OrchestrationContinuedAsNew
	OrchestrationCancelRequested
	// ParentAttached: another parent waits for this instance, which it found
	// running under the id of its child. It does nothing to the code.
	ParentAttached
	// OrchestrationSuspended: from here on no code runs, and what arrives is only
	// recorded, up to the OrchestrationResumed. Neither does anything to the code.
	OrchestrationSuspended
	OrchestrationResumed
	// OrchestrationRedriven: what stands ahead of it was taken over from an earlier
	// execution, which its OrchestrationStarted names. It does nothing to the code.
	OrchestrationRedriven

	// Scheduling events.
	ActivityScheduled
	TimerCreated
	ExternalSubscribed
	SubOrchestrationScheduled
	OrchestrationChained
	SystemCall
	// ExternalRejected: the wait to which the ExternalEvent of SourceEventID came
	// could not take its data, and goes on waiting. The code did not ask for
	// it, but it stands where what it asks for stands: a replay claims it.
	ExternalRejected

	// Completions.
	ActivityCompleted
	ActivityFailed
	TimerFired
	ExternalEvent
	SubOrchestrationCompleted
	SubOrchestrationFailed

	kindEnd
)

var kindNames = [kindEnd]string{
	KindUnknown:                  "Unknown",
	OrchestrationStarted:         "OrchestrationStarted",
	OrchestrationCompleted:       "OrchestrationCompleted",
	OrchestrationFailed:          "OrchestrationFailed",
	OrchestrationContinuedAsNew:  "OrchestrationContinuedAsNew",
	OrchestrationCancelRequested: "OrchestrationCancelRequested",
	ParentAttached:               "ParentAttached",
	OrchestrationSuspended:       "OrchestrationSuspended",
	OrchestrationResumed:         "OrchestrationResumed",
	OrchestrationRedriven:        "OrchestrationRedriven",
	ActivityScheduled:            "ActivityScheduled",
	TimerCreated:                 "TimerCreated",
	ExternalSubscribed:           "ExternalSubscribed",
	SubOrchestrationScheduled:    "SubOrchestrationScheduled",
	OrchestrationChained:         "OrchestrationChained",
	SystemCall:                   "SystemCall",
	ExternalRejected:             "ExternalRejected",
	ActivityCompleted:            "ActivityCompleted",
	ActivityFailed:               "ActivityFailed",
	TimerFired:                   "TimerFired",
	ExternalEvent:                "ExternalEvent",
	SubOrchestrationCompleted:    "SubOrchestrationCompleted",
	SubOrchestrationFailed:       "SubOrchestrationFailed",
}

// String returns the kind's name as it stands in JSON.
func (k Kind) String() string {
	if k >= kindEnd {
		return kindNames[KindUnknown]
	}
	return kindNames[k]
}

// Kinds returns all kinds but KindUnknown, in the order of their constants.
func Kinds() []Kind {
	kinds := make([]Kind, 0, kindEnd-1)
	for k := KindUnknown + 1; k < kindEnd; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// Scheduling reports whether the kind records what the code asked for, or what
// its waits have rejected: the answers of a round.
func (k Kind) Scheduling() bool { return k >= ActivityScheduled && k <= ExternalRejected }

// Completion reports whether the kind records an answer from outside to
// something the code asked for, or an external event.
func (k Kind) Completion() bool { return k >= ActivityCompleted && k <= SubOrchestrationFailed }

// Terminal reports whether the kind ends its execution.
func (k Kind) Terminal() bool {
	return k >= OrchestrationCompleted && k <= OrchestrationContinuedAsNew
}

// Arrival reports whether the kind records what came from outside: the start,
// a cancel request, another parent, a suspend, a resume, a redrive or a completion. A
// round is a run of arrivals and the answers after them.
func (k Kind) Arrival() bool {
	return k == OrchestrationStarted || k >= OrchestrationCancelRequested && k <= OrchestrationRedriven || k.Completion()
}

// hasStart reports whether events of the kind have a Start.
func (k Kind) hasStart() bool {
	return k == OrchestrationStarted || k == ParentAttached || k == OrchestrationRedriven
}

// Completes returns the scheduling kind that a completion with a
// SourceEventID must name, KindUnknown for all other kinds.
func (k Kind) Completes() Kind {
	switch k {
	case ActivityCompleted, ActivityFailed:
		return ActivityScheduled
	case TimerFired:
		return TimerCreated
	case SubOrchestrationCompleted, SubOrchestrationFailed:
		return SubOrchestrationScheduled
	}
	return KindUnknown
}
