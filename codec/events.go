package codec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// EncodeTurns returns turns in their stored form: copies whose events have encoded payloads and the
// name of the codec. The error is a [*EncodeError].
//
// Two calls may return different bytes, so encode only once what may be written again.
func (s *Set) EncodeTurns(turns []store.Turn) ([]store.Turn, error) {
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
			mark, err := s.encodeAll(func() string { return eventPlace(t.Instance, t.ExecutionID, e) }, eventPayloads(e, room[:0]))
			if err != nil {
				return nil, err
			}
			e.Codec = mark
		}
	}
	return turns, nil
}

// DecodeTurns decodes the payloads of stored turns, in place; the decoded events are copies. The
// error is an [*UnknownError], or a [*store.CorruptError] for a damaged payload.
func (s *Set) DecodeTurns(turns []store.Turn) error {
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

// OpenEvents returns the events of an execution with decoded payloads; encoded events are copied.
// It returns the errors of [Set.DecodeTurns].
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

// OpenWhatItCan returns events with decoded payloads as far as the set can decode them; the others
// are unchanged and keep the name of their codec. Use it for displaying events.
func (s *Set) OpenWhatItCan(instance string, executionID int64, events []history.Event) []history.Event {
	events = slices.Clone(events)
	for i := range events {
		if opened, err := s.OpenEvents(instance, executionID, events[i:i+1]); err == nil {
			events[i] = opened[0]
		}
	}
	return events
}

// EncodeAnswer returns the answer to an update in its stored form: a copy whose event has encoded
// payloads and the name of the codec. The error is a [*EncodeError].
func (s *Set) EncodeAnswer(a store.Answer) (store.Answer, error) {
	if s.mark() == "" {
		return a, nil
	}
	var room [3]payload
	mark, err := s.encodeAll(func() string { return answerPlace(&a) }, eventPayloads(&a.Event, room[:0]))
	if err != nil {
		return store.Answer{}, err
	}
	a.Event.Codec = mark
	return a, nil
}

// DecodeAnswer returns a stored answer with decoded payloads. The error is an [*UnknownError], or a
// [*store.CorruptError] for a damaged payload.
func (s *Set) DecodeAnswer(a store.Answer) (store.Answer, error) {
	if a.Event.Codec == "" {
		return a, nil
	}
	var room [3]payload
	err := s.openAll(func() string { return answerPlace(&a) }, a.Event.Codec, eventPayloads(&a.Event, room[:0]))
	if damaged, ok := errors.AsType[*DamagedError](err); ok {
		return store.Answer{}, &store.CorruptError{Instance: a.Instance, ExecutionID: a.ExecutionID, EventID: a.Event.EventID, Reason: damaged.Error()}
	}
	if err != nil {
		return store.Answer{}, err
	}
	a.Event.Codec = ""
	return a, nil
}

func answerPlace(a *store.Answer) string {
	return fmt.Sprintf("the answer to update %q of instance %q (event %d, %s, of execution %d)", a.ID, a.Instance, a.Event.EventID, a.Event.Kind, a.ExecutionID)
}

func eventPlace(instance string, executionID int64, e *history.Event) string {
	return fmt.Sprintf("event %d (%s) of instance %q execution %d", e.EventID, e.Kind, instance, executionID)
}

// eventPayloads appends the payloads of an event that are encoded. It copies the structs that the
// event points to, because events share them.
func eventPayloads(e *history.Event, values []payload) []payload {
	values = append(values, payload{value: &e.Payload, what: "the payload"})
	if e.Failure != nil && len(e.Failure.Details) > 0 {
		e.Failure = copied(e.Failure)
		values = append(values, payload{value: &e.Failure.Details, what: "the failure's details"})
	}
	if e.Start != nil && len(e.Start.States) > 0 {
		e.Start = copied(e.Start)
		values = append(values, payload{value: &e.Start.States, what: "the states"})
	}
	return values
}
