package store

import (
	"encoding/json"
	"fmt"
	"slices"
)

// EncodeReasons writes why a turn cancelled what it did, as stores keep it: each
// reason with the events that it stands for, {"too late":[2,5]}. It is empty for
// none, and the same for the same reasons.
func EncodeReasons(reasons map[int64]string) string {
	if len(reasons) == 0 {
		return ""
	}
	events := map[string][]int64{}
	for id, reason := range reasons {
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

// DecodeReasons reads what EncodeReasons wrote.
func DecodeReasons(text string) (map[int64]string, error) {
	if text == "" {
		return nil, nil
	}
	var events map[string][]int64
	if err := json.Unmarshal([]byte(text), &events); err != nil {
		return nil, fmt.Errorf("reasons of what was cancelled: %w", err)
	}
	reasons := map[int64]string{}
	for reason, ids := range events {
		for _, id := range ids {
			reasons[id] = reason
		}
	}
	return reasons, nil
}
