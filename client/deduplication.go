package client

// DeduplicationOption is an option of [Start] and of [Raise]: [WithDeduplicationID].
type DeduplicationOption interface {
	StartOption
	RaiseOption
}

type deduplicationID string

func (id deduplicationID) applyToStart(r *StartRequest) { r.DeduplicationID = string(id) }
func (id deduplicationID) applyToRaise(r *RaiseRequest) { r.DeduplicationID = string(id) }

// WithDeduplicationID identifies a start or an event, so that repeating it with the same id is
// harmless; without it the id is random and each call counts as new. A service that may repeat its call
// derives the id from its own request. The id of a start is recorded with the instance as its start id,
// the id of an event as the id of its sender.
//
// An instance knows the ids of all events of its execution. When it continues as new, it keeps the
// newest 256 ids. An event that is repeated after that, and after 256 others, counts as new.
func WithDeduplicationID(id string) DeduplicationOption { return deduplicationID(id) }
