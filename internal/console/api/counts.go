package api

import "time"

// Counts has the number of instances of each status.
type Counts struct {
	// CountedAt is when they were counted; counts are cached for a while.
	CountedAt time.Time `json:"counted_at"`
	// Counts by status.
	Counts map[string]Count `json:"counts"`
	// PausedQueues are the paused queues, if the console knows them; omitted if a filter narrows
	// the counts.
	PausedQueues []PausedQueue `json:"paused_queues,omitempty"`
}

// Count is a number of instances.
type Count struct {
	Count int `json:"count"`
	// More is set if counting stopped at this number.
	More bool `json:"more,omitempty"`
}
