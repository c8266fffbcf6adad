package api

// Batch is what became of an action on many instances, as the command line prints
// it.
type Batch struct {
	// Action: wake, cancel, terminate, purge.
	Action string `json:"action"`
	// ID names a batch that is not done, to go on with it.
	ID string `json:"id,omitempty"`
	// Selected instances. Sent are those to which it was sent, Skipped those for
	// which there was nothing to do any more, by this run and those before it.
	Selected int `json:"selected"`
	Sent     int `json:"sent"`
	Skipped  int `json:"skipped"`
	// Failed are those to which nothing was sent, and why; the first hundred.
	Failed []BatchFailed `json:"failed,omitempty"`
	// FailedCount is how many there are.
	FailedCount int `json:"failed_count,omitempty"`
	// DryRun: nothing was sent. Instances are those that it would be.
	DryRun    bool     `json:"dry_run,omitempty"`
	Instances []string `json:"instances,omitempty"`
}

// BatchFailed is an instance to which nothing was sent.
type BatchFailed struct {
	Instance string `json:"instance"`
	Error    string `json:"error"`
}
