package api

import "time"

// Logs are lines of the program's log about an instance.
type Logs struct {
	Instance string `json:"instance"`
	// Lines, the oldest first.
	Lines []LogLine `json:"lines"`
	// More: there were earlier ones, which are not shown or not kept.
	More bool `json:"more,omitempty"`
	// Kept says which lines are kept, and for how long.
	Kept string `json:"kept"`
}

// LogLine is one line of a log.
type LogLine struct {
	At      time.Time `json:"at"`
	Level   string    `json:"level"`
	Message string    `json:"message"`
	// ExecutionID, EventID and Attempt that the line is about, as far as it says so.
	ExecutionID int64 `json:"execution_id,omitempty"`
	EventID     int64 `json:"event_id,omitempty"`
	Attempt     int   `json:"attempt,omitempty"`
	// Attributes are the others of the line.
	Attributes map[string]string `json:"attributes,omitempty"`
}
