package api

import "time"

// Metrics say how many instances started in a time, how they fared, how long they took, and
// what they cost.
type Metrics struct {
	// At is the time of the look.
	At time.Time `json:"at"`
	// From and To are what is counted; From is later than was asked for where More stands.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	// WidthMS is the length of each bar; the first bar starts at BarsFrom.
	WidthMS  int64     `json:"width_ms"`
	BarsFrom time.Time `json:"bars_from"`
	// Started are how many started within each bar.
	Started []int `json:"started"`
	// Read is how many records were read. More: others started earlier within the time that
	// was asked for; they are not counted, and From is when the first of those read started.
	Read int  `json:"read"`
	More bool `json:"more,omitempty"`
	// Orchestrations by how many started, the most first; All is the sum of them.
	Orchestrations []OrchestrationMetrics `json:"orchestrations"`
	All            OrchestrationMetrics   `json:"all"`
	// Dollars of what started; left out where no history could be read.
	Dollars *DollarsAnHour `json:"dollars,omitempty"`
}

// OrchestrationMetrics are those of the instances of one orchestration.
type OrchestrationMetrics struct {
	Name string `json:"name,omitempty"`
	// Started in the time, and an hour.
	Started       int     `json:"started"`
	StartedAnHour float64 `json:"started_an_hour"`
	// Of those: how many have not ended, and how many are in which state of those that have.
	Open      int `json:"open"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Stopped   int `json:"stopped"`
	// Redriven are those that were redriven, or are forks. Their time contains the wait for the redrive,
	// or lacks the work that they took over, so that Took leaves them out.
	Redriven int `json:"redriven,omitempty"`
	// Took is how long those took that have ended; left out where none has.
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
	// AnHour is what the instances that start in an hour cost, by the histories of so many.
	AnHour float64 `json:"an_hour"`
	Of     int     `json:"of"`
	// Hypothetical: nothing is charged; the dollars are what AWS would charge.
	Hypothetical bool `json:"hypothetical,omitempty"`
}
