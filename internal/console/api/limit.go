package api

import (
	"time"

	"github.com/turnstile-go/turnstile/client"
)

// LimitList has limits of activity attempts, limits of instances, and rates.
type LimitList struct {
	At     time.Time      `json:"at"`
	Limits []client.Limit `json:"limits"`
}

// SetLimit changes how many attempts with a key may run at a time.
type SetLimit struct {
	Key string `json:"key"`
	// Permits is 0 to 100. 0 closes the limit.
	Permits *int `json:"permits"`
	// Instances selects the limit of instances with this key.
	Instances bool `json:"instances,omitempty"`
	// Rate selects the rate with this key, per PerMS milliseconds; 0 for the window in the code.
	Rate  bool  `json:"rate,omitempty"`
	PerMS int64 `json:"per_ms,omitempty"`
}

// ResetLimit makes the number in the code apply again.
type ResetLimit struct {
	Key string `json:"key"`
	// Instances selects the limit of instances with this key.
	Instances bool `json:"instances,omitempty"`
	// Rate selects the rate with this key.
	Rate bool `json:"rate,omitempty"`
}
