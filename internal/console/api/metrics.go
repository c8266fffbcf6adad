package api

import "time"

// Metrics are statistics of the instances that started in a period: how many, with which result, how
// long they took, and what they cost.
type Metrics struct {
	// At is the time of the response.
	At time.Time `json:"at"`
	// From and To are the period that is counted. If More is set, From is later than requested.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// WidthMS is the length of each bar; the first bar starts at BarsFrom.
	WidthMS  int64     `json:"width_ms"`
	BarsFrom time.Time `json:"bars_from"`
	// Started are how many started within each bar.
	Started []int `json:"started"`
	// Read is how many records were read. More is set if others started earlier in the requested period;
	// they are not counted, and From is when the first of the read ones started.
	Read int  `json:"read"`
	More bool `json:"more,omitempty"`
	// Orchestrations are ordered by how many started, the most first; All is their sum.
	Orchestrations []OrchestrationMetrics `json:"orchestrations"`
	All            OrchestrationMetrics   `json:"all"`
	// Dollars is the cost of the instances that started; omitted if no history could be read.
	Dollars *DollarsAnHour `json:"dollars,omitempty"`
}

// OrchestrationMetrics are the metrics of one orchestration.
type OrchestrationMetrics struct {
	Name string `json:"name,omitempty"`
	// Started is how many started in the period, and per hour.
	Started       int     `json:"started"`
	StartedAnHour float64 `json:"started_an_hour"`
	// How many of them have not ended, and how many have ended with each result.
	Open      int `json:"open"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Stopped   int `json:"stopped"`
	// Redriven is how many were redriven, or are forks. Took leaves them out, because their time
	// includes the wait for the redrive, or lacks the copied work.
	Redriven int `json:"redriven,omitempty"`
	// Took is how long the ended ones took; omitted if none has ended.
	Took *Took `json:"took,omitempty"`
}

// Took are percentiles of durations.
type Took struct {
	Of    int   `json:"of"`
	P50MS int64 `json:"p50_ms"`
	P90MS int64 `json:"p90_ms"`
	P99MS int64 `json:"p99_ms"`
	MaxMS int64 `json:"max_ms"`
}

// DollarsAnHour is an estimate at list prices.
type DollarsAnHour struct {
	// AnHour is what the instances that start in an hour cost, estimated from this number of histories.
	AnHour float64 `json:"an_hour"`
	Of     int     `json:"of"`
	// Hypothetical is set if nothing is charged. The dollars are what AWS would charge.
	Hypothetical bool `json:"hypothetical,omitempty"`
}
