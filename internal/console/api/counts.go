package api

import "time"

// Counts says how many instances there are of each status.
type Counts struct {
	// CountedAt is when: counts are kept for a while.
	CountedAt time.Time `json:"counted_at"`
	// Counts by status.
	Counts map[string]Count `json:"counts"`
	// PausedQueues are the queues that are paused, where the console knows it; left out where
	// something narrows what is counted.
	PausedQueues []PausedQueue `json:"paused_queues,omitempty"`
}

// Count is a number of instances.
type Count struct {
	Count int `json:"count"`
	// More: counting stopped there.
	More bool `json:"more,omitempty"`
}
