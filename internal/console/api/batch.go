package api

// Batch is what became of an action on many instances, as the command line prints
// it.
type Batch struct {
	// Action: wake, cancel, terminate, purge.
	Action string `json:"action"`
	// ID names an incomplete batch, so that a request can continue it.
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
	// Left are the children that purges would leave, of a dry run: they have inputs and results of their own.
	Left []string `json:"left,omitempty"`
	// Plans are what redrives would do, of a dry run.
	Plans *Plans `json:"plans,omitempty"`
}

// Plans count what the redrives of many instances would do.
type Plans struct {
	// Continue is how many instances continue, and Operations how many operations they start again.
	Continue   int `json:"continue"`
	Operations int `json:"operations"`
	// FromStart is how many run from the beginning, because they failed in their first step.
	FromStart int `json:"from_start,omitempty"`
	// Nothing are those of which a redrive would start nothing again: with the same code they fail as
	// before.
	Nothing []string `json:"nothing,omitempty"`
	// Refused are those that cannot be redriven, and why.
	Refused []BatchFailed `json:"refused,omitempty"`
	// Unread are those whose histories were not read, because there are so many.
	Unread int `json:"unread,omitempty"`
}

// Add counts the plan of an instance.
func (p *Plans) Add(instance string, d *Redriven, err error) {
	switch {
	case err != nil:
		p.Refused = append(p.Refused, BatchFailed{instance, err.Error()})
	case d.Nothing():
		p.Nothing = append(p.Nothing, instance)
	case d.CopiedEvents == 0:
		p.FromStart++
	default:
		p.Continue++
		p.Operations += len(d.Again)
	}
}

// BatchFailed is an instance to which nothing was sent.
type BatchFailed struct {
	Instance string `json:"instance"`
	Error    string `json:"error"`
}
