package api

import (
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/cause"
)

// CauseOf returns what failed first in an instance that has failed or cannot continue, and the key of
// that cause. The key is empty for any other status.
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

// FailureList has the instances that have failed or are stuck, grouped by what failed first.
type FailureList struct {
	// At is the time of the response.
	At time.Time `json:"at"`
	// From and To are the period of the bars, each of which is WidthMS wide; the last bar may end later.
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	WidthMS int64     `json:"width_ms"`
	// Causes, the one with the most instances first. Causes that made no root fail come last: parents
	// have handled them, or are still running.
	Causes []FailureCause `json:"causes"`
	// Read is how many records were read. More is set if there are others, which started earlier.
	Read int  `json:"read"`
	More bool `json:"more,omitempty"`
}

// FailureCause is a cause, with the instances that it has stopped.
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
	// Message without ids and numbers and, if code and history disagree, without inputs. Example is the
	// message of the instance that failed last.
	Message string `json:"message"`
	Example string `json:"example"`
	// Instances is the number of its instances; Roots is how many of them are not children.
	Instances int `json:"instances"`
	Roots     int `json:"roots"`
	// Orchestrations are the orchestrations of its instances, with the number of each.
	Orchestrations map[string]int `json:"orchestrations"`
	// First and Last are when it first and last occurred.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Bars are how many occurred in each bar, starting at From.
	Bars []int `json:"bars"`
	// Newest are the ids of those that failed last, at most five.
	Newest []string `json:"newest"`
	// Members are its instances, roots first, and then by when they failed, the last first; omitted
	// unless one cause is requested.
	Members []Instance `json:"members,omitempty"`
}
