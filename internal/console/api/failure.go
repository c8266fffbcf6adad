package api

import (
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/cause"
)

// CauseOf is what failed first of an instance that has failed or does not go on, and the key of
// that cause; an empty key where it has a status of another sort.
func CauseOf(d *client.Description) (c cause.Cause, key string) {
	c = cause.Cause{Source: d.Name}
	ids := []string{d.Instance}
	switch {
	case d.Problem != nil && d.Problem.Diff != nil:
		diff := d.Problem.Diff
		c = cause.OfDifference(d.Problem.Kind, d.Problem.Message, d.Name, diff.Have, diff.Did, diff.At)
	case d.Problem != nil:
		c = cause.OfProblem(d.Problem.Kind, d.Problem.Message, d.Name, d.Instance)
	case d.Failure != nil:
		c = cause.OfFailure(d.Failure, d.Name)
		ids = append(ids, d.Failure.Instance)
	}
	switch d.Status {
	case client.StatusFailed, client.StatusStuck, client.StatusCorrupt:
		key = c.Key(string(d.Status), ids...)
	}
	return c, key
}

// FailureList is what has failed or is stuck, by what failed first.
type FailureList struct {
	// At is the time of the look.
	At time.Time `json:"at"`
	// From and To are what the bars are over, each of WidthMS; the last may end later.
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	WidthMS int64     `json:"width_ms"`
	// Causes, that of the most instances first. Causes by which no root has failed stand behind the
	// others: parents have handled them, or still run.
	Causes []FailureCause `json:"causes"`
	// Read is how many records were read. More: there are others, which started earlier.
	Read int  `json:"read"`
	More bool `json:"more,omitempty"`
}

// FailureCause is a cause, and the instances that it has stopped.
type FailureCause struct {
	// Key names it. It stays the same as long as status, kind, source, code and message do.
	Key string `json:"key"`
	// Status of its instances: failed, stuck or corrupt.
	Status string `json:"status"`
	// Kind of the failure or the problem.
	Kind string `json:"kind"`
	// Source names the activity or the orchestration that failed.
	Source string `json:"source"`
	Code   string `json:"code,omitempty"`
	// Message without ids and numbers, and without inputs where code and history disagree. Example is the
	// message of the instance that failed last.
	Message string `json:"message"`
	Example string `json:"example"`
	// Instances that it has; Roots of them are no children.
	Instances int `json:"instances"`
	Roots     int `json:"roots"`
	// Orchestrations are the names of its instances, with how many.
	Orchestrations map[string]int `json:"orchestrations"`
	// First and Last are when it came up.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Bars are how many came up when, from From on.
	Bars []int `json:"bars"`
	// Newest are the ids of those that failed last, five at most.
	Newest []string `json:"newest"`
	// Members are its instances, roots first and then those that failed last; left out unless one cause
	// is asked for.
	Members []Instance `json:"members,omitempty"`
}
