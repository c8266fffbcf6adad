package api

import "time"

// StepList says where the time went in the instances of an orchestration, by activity, child, timer and wait.
type StepList struct {
	// At is the time of the look.
	At time.Time `json:"at"`
	// From and To are when the instances started; From is later than was asked for where More stands.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
	Name string    `json:"name"`
	// Started is how many records were found, and Histories of how many of them the last execution was read,
	// spread evenly. More: others started earlier.
	Started   int  `json:"started"`
	Histories int  `json:"histories"`
	More      bool `json:"more,omitempty"`
	// Dollars is about what reading these histories costs on DynamoDB; left out on one machine.
	Dollars float64 `json:"dollars,omitempty"`
	// Steps, that which took the longest altogether first.
	Steps []Step `json:"steps"`
}

// Step is what the instances did in operations of one kind and name. What a redrive or a fork has taken over
// is not counted.
type Step struct {
	// Kind: activity, inline, child, timer or wait.
	Kind string `json:"kind"`
	// Name of the activity, orchestration or event; of a timer its label. Left out where there is none.
	Name string `json:"name,omitempty"`
	// Took is how long those took that ended with a result or a failure, from when they were asked for: waits
	// for a worker, retries and their delays are a part of it. Left out where none has ended so.
	Took *Took `json:"took,omitempty"`
	// Share of the time of all steps, 0 to 1. Steps that ran side by side count each.
	Share float64 `json:"share"`
	// Failed of those ended with a failure, and Retries is how many further attempts they had.
	Failed  int `json:"failed"`
	Retries int `json:"retries"`
	// Open have not ended. Stopped were cancelled, or left open when the execution ended.
	Open    int `json:"open,omitempty"`
	Stopped int `json:"stopped,omitempty"`
}
