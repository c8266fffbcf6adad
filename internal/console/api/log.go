package api

import "github.com/turnstile-go/turnstile/internal/loglines"

// Logs are lines of the program's log about an instance.
type Logs struct {
	Instance string `json:"instance"`
	// Lines, oldest first.
	Lines []loglines.Line `json:"lines"`
	// More is set if there were earlier lines, which are not shown or not kept.
	More bool `json:"more,omitempty"`
	// Kept describes which lines are kept, and for how long.
	Kept string `json:"kept"`
}
