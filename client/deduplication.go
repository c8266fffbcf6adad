package client

// DeduplicationOption is an option of [Start], [Raise] and [Update]: [WithDeduplicationID].
type DeduplicationOption interface {
	StartOption
	RaiseOption
	UpdateOption
}

type deduplicationID string

func (id deduplicationID) applyToStart(r *StartRequest) { r.DeduplicationID = string(id) }
func (id deduplicationID) applyToRaise(r *RaiseRequest) { r.DeduplicationID = string(id) }

func (id deduplicationID) applyToUpdate(r *UpdateRequest) { r.DeduplicationID = string(id) }

// WithDeduplicationID identifies a start, an event or an update, so that repeating it with the same id is
// harmless. Without it the id is random and each call counts as new. If a service may repeat its
// call, derive the id from the service's own request. The id of a start is recorded as the start id
// of the instance, and the id of an event as the event's sender id.
//
// An instance knows the ids of all events of its execution. When it continues as new, it keeps the
// newest 256 ids. If an event is repeated after a continue-as-new and after 256 later events, it
// counts as new.
func WithDeduplicationID(id string) DeduplicationOption { return deduplicationID(id) }
