package api

import (
	"time"

	"github.com/turnstile-go/turnstile/internal/timeline"
)

// StepList is how the instances of an orchestration spent their time, by activity, child, timer and wait.
type StepList struct {
	// At is the time of the response.
	At time.Time `json:"at"`
	// From and To bound when the instances started. If More is set, From is later than requested.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Name string    `json:"name"`
	// Started is how many records were found. Histories is for how many of them, spread evenly, the last
	// execution was read. More is set if others started earlier.
	Started   int  `json:"started"`
	Histories int  `json:"histories"`
	More      bool `json:"more,omitempty"`
	// Dollars is the approximate cost of reading these histories on DynamoDB; omitted on one machine.
	Dollars float64 `json:"dollars,omitempty"`
	// Steps, the one with the longest total time first.
	Steps []Step `json:"steps"`
}

// Step has the operations of one kind and name. Operations that a redrive or a fork has copied are not
// counted.
type Step struct {
	timeline.Step
	// Took is how long the operations took that ended with a result or a failure, from when they were
	// scheduled. It includes waits for a worker, retries and their delays. Omitted if none has ended like
	// this.
	Took *Took `json:"took,omitempty"`
	// Share of the total time of all steps, 0 to 1. Concurrent steps each count in full.
	Share float64 `json:"share"`
}
