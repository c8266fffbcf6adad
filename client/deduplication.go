package client

// DeduplicationOption is an option of [Start] and of [Raise]: [WithDeduplicationID].
type DeduplicationOption interface {
	StartOption
	RaiseOption
}

type deduplicationID string

func (id deduplicationID) applyToStart(r *StartRequest) { r.DeduplicationID = string(id) }
func (id deduplicationID) applyToRaise(r *RaiseRequest) { r.DeduplicationID = string(id) }

// WithDeduplicationID tells a repeat of a start or of an event, which is harmless,
// from another start of the orchestration, or from another event; default a random id. A
// service that may repeat its call gives an id that comes from its request. The id of a start is recorded with
// the instance as its start id, the id of an event as the id of its sender.
//
// An instance knows the ids of all events of its execution. When it continues as new, it
// takes the newest 256 ids along. An event that is repeated after that, and after 256
// others, counts as new.
func WithDeduplicationID(id string) DeduplicationOption { return deduplicationID(id) }
