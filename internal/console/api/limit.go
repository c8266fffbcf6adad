package api

import (
	"time"

	"github.com/turnstile-go/turnstile/client"
)

// LimitList are limits, of attempts of activities and of instances, and rates.
type LimitList struct {
	At     time.Time      `json:"at"`
	Limits []client.Limit `json:"limits"`
}

// SetLimit changes how many attempts with a key may run at a time.
type SetLimit struct {
	Key string `json:"key"`
	// Permits: 0 to 100. 0 closes the limit.
	Permits *int `json:"permits"`
	// Instances: of the limit of instances with this key.
	Instances bool `json:"instances,omitempty"`
	// Rate: of the rate with this key, in PerMS milliseconds; 0 for the span in the code.
	Rate  bool  `json:"rate,omitempty"`
	PerMS int64 `json:"per_ms,omitempty"`
}

// ResetLimit has the number in the code count again.
type ResetLimit struct {
	Key string `json:"key"`
	// Instances: of the limit of instances with this key.
	Instances bool `json:"instances,omitempty"`
	// Rate: of the rate with this key.
	Rate bool `json:"rate,omitempty"`
}
