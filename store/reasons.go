package store

import (
	"encoding/json"
	"fmt"
	"slices"
)

// EncodeReasons writes why the turn cancelled what it did, as stores keep it: each
// reason with the events that it stands for, {"too late":[2,5]}. It is empty for
// none, and the same for the same reasons.
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
		panic(fmt.Sprintf("store: reasons can't be written: %v", err)) // text and numbers can
	}
	return string(text)
}

// DecodeReasons sets Reasons to what EncodeReasons wrote.
func (t *Turn) DecodeReasons(text string) error {
	t.Reasons = nil
	if text == "" {
		return nil
	}
	var events map[string][]int64
	if err := json.Unmarshal([]byte(text), &events); err != nil {
		return fmt.Errorf("reasons of what was cancelled: %w", err)
	}
	t.Reasons = make(map[int64]string, len(events))
	for reason, ids := range events {
		for _, id := range ids {
			t.Reasons[id] = reason
		}
	}
	return nil
}
