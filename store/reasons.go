package store

import (
	"encoding/json"
	"fmt"
	"slices"
)

// EncodeReasons encodes the reasons why the turn cancelled operations, as stores keep them: each reason
// with the events that it applies to, {"too late":[2,5]}. The result is empty for no reasons, and the
// same for the same reasons.
func (t *Turn) EncodeReasons() string {
	if len(t.Reasons) == 0 {
		return ""
	}
	events := map[string][]int64{}
	for id, reason := range t.Reasons {
		events[reason] = append(events[reason], id)
	}
	for _, ids := range events {
		slices.Sort(ids)
	}
	text, err := json.Marshal(events)
	if err != nil {
		panic(fmt.Sprintf("store: reasons cannot be written: %v", err)) // strings and numbers can always be encoded
	}
	return string(text)
}

// DecodeReasons sets Reasons from the result of EncodeReasons.
func (t *Turn) DecodeReasons(text string) error {
	t.Reasons = nil
	if text == "" {
		return nil
	}
	var events map[string][]int64
	if err := json.Unmarshal([]byte(text), &events); err != nil {
		return fmt.Errorf("decoding the reasons of the cancelled operations: %w", err)
	}
	t.Reasons = make(map[int64]string, len(events))
	for reason, ids := range events {
		for _, id := range ids {
			t.Reasons[id] = reason
		}
	}
	return nil
}
