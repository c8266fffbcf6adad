package api

import "github.com/turnstile-go/turnstile/client"

// Batch is the result of an action on many instances, as the command line prints it.
type Batch struct {
	// Action is the name of the action: wake, cancel, terminate or purge.
	Action string `json:"action"`
	// ID names an incomplete batch, so that a request can continue it.
	ID string `json:"id,omitempty"`
	// Selected is the number of selected instances. Sent and Skipped count, over this run and the earlier
	// ones of the batch, the instances to which the action was sent, and those for which nothing was left to
	// do.
	Selected int `json:"selected"`
	Sent     int `json:"sent"`
	Skipped  int `json:"skipped"`
	// Failed are the first hundred instances to which nothing was sent, with the reason.
	Failed []BatchFailed `json:"failed,omitempty"`
	// FailedCount is how many failed in all.
	FailedCount int `json:"failed_count,omitempty"`
	// DryRun is set if nothing was sent. Instances are those to which the action would be sent.
	DryRun    bool     `json:"dry_run,omitempty"`
	Instances []string `json:"instances,omitempty"`
	// Left are the children that the purges would leave, in a dry run. They have inputs and results of their
	// own.
	Left []string `json:"left,omitempty"`
	// Plans are what the redrives would do, in a dry run.
	Plans *Plans `json:"plans,omitempty"`
}

// Plans has counts of what the redrives of many instances would do.
type Plans struct {
	// Continue is how many instances continue, and Operations how many operations they start again.
	Continue   int `json:"continue"`
	Operations int `json:"operations"`
	// FromStart is how many run from the beginning, because they failed in their first step.
	FromStart int `json:"from_start,omitempty"`
	// Nothing are those for which a redrive would not start any operation again, so that with the same code
	// they fail as before.
	Nothing []string `json:"nothing,omitempty"`
	// Refused are those that cannot be redriven, with the reason.
	Refused []BatchFailed `json:"refused,omitempty"`
	// Unread are those whose histories were not read, because too many were selected.
	Unread int `json:"unread,omitempty"`
}

// Add counts the plan of an instance.
func (p *Plans) Add(instance string, d *client.Redriven, err error) {
	switch {
	case err != nil:
		p.Refused = append(p.Refused, BatchFailed{instance, err.Error()})
	case d.Nothing():
		p.Nothing = append(p.Nothing, instance)
	case d.CopiedEvents == 0:
		p.FromStart++
	default:
		p.Continue++
		p.Operations += len(d.Rescheduled)
	}
}

// BatchFailed is an instance to which nothing was sent.
type BatchFailed struct {
	Instance string `json:"instance"`
	Error    string `json:"error"`
}
