package codec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// SealTurns returns turns as they are stored: copies whose events carry sealed
// payloads and their mark. *SealError.
//
// Two calls do not give the same bytes: seal once what may be written again.
func (s *Set) SealTurns(turns []store.Turn) ([]store.Turn, error) {
	if s.mark() == "" {
		return turns, nil
	}
	turns = slices.Clone(turns)
	var room [3]payload
	for i := range turns {
		t := &turns[i]
		t.Events = slices.Clone(t.Events)
		for j := range t.Events {
			e := &t.Events[j]
			mark, err := s.sealAll(func() string { return eventPlace(t.Instance, t.ExecutionID, e) }, eventPayloads(e, room[:0]))
			if err != nil {
				return nil, err
			}
			e.Codec = mark
		}
	}
	return turns, nil
}

// OpenTurns opens the payloads of turns that were read, in place; the events
// that it opens are copies. *UnknownError, or a *store.CorruptError for what
// is damaged.
func (s *Set) OpenTurns(turns []store.Turn) error {
	for i := range turns {
		t := &turns[i]
		opened, err := s.OpenEvents(t.Instance, t.ExecutionID, t.Events)
		if err != nil {
			return err
		}
		t.Events = opened
	}
	return nil
}

// OpenEvents returns events of an execution with plain payloads; sealed events are
// copied. Errors as of OpenTurns.
func (s *Set) OpenEvents(instance string, executionID int64, events []history.Event) ([]history.Event, error) {
	copied := false
	var room [3]payload
	for i := range events {
		if events[i].Codec == "" {
			continue
		}
		if !copied {
			events, copied = slices.Clone(events), true
		}
		e := &events[i]
		err := s.openAll(func() string { return eventPlace(instance, executionID, e) }, e.Codec, eventPayloads(e, room[:0]))
		if damaged, ok := errors.AsType[*DamagedError](err); ok {
			return nil, &store.CorruptError{Instance: instance, ExecutionID: executionID, EventID: e.EventID, Reason: damaged.Error()}
		}
		if err != nil {
			return nil, err
		}
		e.Codec = ""
	}
	return events, nil
}

// OpenWhatItCan returns events with plain payloads where the set can open
// them; the others stay as they are, with their mark. For showing them.
func (s *Set) OpenWhatItCan(instance string, executionID int64, events []history.Event) []history.Event {
	events = slices.Clone(events)
	for i := range events {
		if opened, err := s.OpenEvents(instance, executionID, events[i:i+1]); err == nil {
			events[i] = opened[0]
		}
	}
	return events
}

func eventPlace(instance string, executionID int64, e *history.Event) string {
	return fmt.Sprintf("event %d (%s) of instance %q execution %d", e.EventID, e.Kind, instance, executionID)
}

// eventPayloads appends what of an event is sealed. The parts that it points
// to are copied, for events share them.
func eventPayloads(e *history.Event, values []payload) []payload {
	values = append(values, payload{value: &e.Payload, what: "the payload"})
	if e.Failure != nil && len(e.Failure.Details) > 0 {
		e.Failure = copied(e.Failure)
		values = append(values, payload{value: &e.Failure.Details, what: "the failure's details"})
	}
	if e.Start != nil && len(e.Start.CustomStatus) > 0 {
		e.Start = copied(e.Start)
		values = append(values, payload{value: &e.Start.CustomStatus, what: "the custom status"})
	}
	return values
}

func copied[T any](p *T) *T {
	c := *p
	return &c
}
