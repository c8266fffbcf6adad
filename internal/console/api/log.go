package api

import "time"

// Logs are lines of the program's log about an instance.
type Logs struct {
	Instance string `json:"instance"`
	// Lines, oldest first.
	Lines []LogLine `json:"lines"`
	// More is set if there were earlier lines, which are not shown or not kept.
	More bool `json:"more,omitempty"`
	// Kept describes which lines are kept, and for how long.
	Kept string `json:"kept"`
}

// LogLine is one line of a log.
type LogLine struct {
	At      time.Time `json:"at"`
	Level   string    `json:"level"`
	Message string    `json:"message"`
	// ExecutionID, EventID and Attempt of the line, if it has them.
	ExecutionID int64 `json:"execution_id,omitempty"`
	EventID     int64 `json:"event_id,omitempty"`
	Attempt     int   `json:"attempt,omitempty"`
	// Attributes are the other attributes of the line.
	Attributes map[string]string `json:"attributes,omitempty"`
}
