package history

// Kind is what an event records.
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
	// ParentAttached means that one more parent waits for this instance, because the instance was
	// already running under the id that this parent gave its child. It has no effect on the code.
	ParentAttached
	// OrchestrationSuspended means that from here until OrchestrationResumed no code runs, and
	// arrivals are only recorded. Neither event has an effect on the code.
	OrchestrationSuspended
	OrchestrationResumed
	// OrchestrationRedriven means that the events before it were copied from an earlier execution,
	// which the OrchestrationStarted names. After the code has agreed with the history, an
	// OrchestrationResumed that names this event follows, and the open operations among those
	// events are sent. Neither event has an effect on the code.
	OrchestrationRedriven

	// Scheduling events.
	ActivityScheduled
	TimerCreated
	ExternalSubscribed
	SubOrchestrationScheduled
	OrchestrationChained
	SystemCall
	// ExternalRejected means that the wait that received the ExternalEvent of SourceEventID
	// rejected its data, and keeps waiting. The code does not schedule this event, but the event is
	// recorded among the operations that the code schedules, and a replay claims it.
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

// String returns the kind's name in JSON.
func (k Kind) String() string {
	if k >= kindEnd {
		return kindNames[KindUnknown]
	}
	return kindNames[k]
}

// MarshalText implements [encoding.TextMarshaler] with the kind's name in JSON.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. A name of a later version is KindUnknown.
func (k *Kind) UnmarshalText(name []byte) error {
	*k = kindNamed(name)
	return nil
}

// Kinds returns all kinds except KindUnknown, in the order of their constants.
func Kinds() []Kind {
	kinds := make([]Kind, 0, kindEnd-1)
	for k := KindUnknown + 1; k < kindEnd; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// Scheduling reports whether the kind records an operation that the code scheduled, or an
// event that one of its waits rejected.
func (k Kind) Scheduling() bool { return k >= ActivityScheduled && k <= ExternalRejected }

// Completion reports whether the kind records the result of an operation from outside, or
// an external event.
func (k Kind) Completion() bool { return k >= ActivityCompleted && k <= SubOrchestrationFailed }

// Terminal reports whether the kind ends its execution.
func (k Kind) Terminal() bool {
	return k >= OrchestrationCompleted && k <= OrchestrationContinuedAsNew
}

// Arrival reports whether the kind records an event from outside: the start, a cancel
// request, another parent, a suspend, a resume, a redrive or a completion. A round is one
// or more arrivals followed by the scheduling events that the code made in response.
func (k Kind) Arrival() bool {
	return k == OrchestrationStarted || k >= OrchestrationCancelRequested && k <= OrchestrationRedriven || k.Completion()
}

// hasStart reports whether events of the kind have a Start.
func (k Kind) hasStart() bool {
	return k == OrchestrationStarted || k == ParentAttached || k == OrchestrationRedriven
}

// Completes returns the scheduling kind that the SourceEventID of a completion must name.
// It returns KindUnknown for all other kinds.
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
