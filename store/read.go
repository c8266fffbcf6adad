package store

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/history"
)

// DecodeEvents decodes the history document of a stored item whose first event id is `first`. The
// events alias doc. For an event that this build does not know, the error wraps history.ErrNewer.
// Any other content that is not a contiguous run of events from `first` on is a *CorruptError.
func DecodeEvents(instance string, executionID, first int64, doc []byte) ([]history.Event, error) {
	corrupt := func(id int64, reason string) error {
		return &CorruptError{Instance: instance, ExecutionID: executionID, EventID: id, Reason: reason}
	}
	events, err := history.Decode(doc)
	if err != nil {
		if errors.Is(err, history.ErrNewer) {
			return nil, fmt.Errorf("store: decoding the history of instance %q execution %d, item %d: %w", instance, executionID, first, err)
		}
		return nil, corrupt(first, err.Error())
	}
	if len(events) == 0 {
		return nil, corrupt(first, "the item has no events")
	}
	for i := range events {
		if want := first + int64(i); events[i].EventID != want {
			return nil, corrupt(want, fmt.Sprintf("the item of events from %d on has event id %d in this position", first, events[i].EventID))
		}
	}
	return events, nil
}

// Tail returns the stored turns, given in order, that have events from event id `from` on; the
// first is cut to begin with `from`. The given turns must include the one that has `from`. If they
// start after it, overlap or have a gap, Tail returns a *CorruptError, so a history is never
// returned without its beginning or with a gap.
func Tail(turns []Turn, from int64) ([]Turn, error) {
	for i := range turns {
		t := &turns[i]
		want := from
		if i > 0 {
			want = turns[i-1].Last() + 1
		}
		if t.First() > want || i > 0 && t.First() < want {
			return nil, &CorruptError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: want, Unconfirmed: t.First() > want,
				Reason: fmt.Sprintf("event %d is missing or stored twice: the next stored turn begins with event %d", want, t.First())}
		}
	}
	for len(turns) > 0 && turns[0].Last() < from {
		turns = turns[1:]
	}
	if len(turns) == 0 {
		return nil, nil
	}
	turns[0] = turns[0].Cut(from)
	return turns, nil
}
