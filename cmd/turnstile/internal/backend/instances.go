package backend

import (
	"context"
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

// Instances is what commands do with instances: on a stack by a client, otherwise by the
// API of a console.
type Instances interface {
	Start(ctx context.Context, r client.StartRequest) (client.Started, error)
	Rerun(ctx context.Context, r client.RerunRequest) (client.Started, error)
	Redrive(ctx context.Context, r client.RedriveRequest) (client.Redriven, error)
	// Confirm waits until the instance has a record, and returns
	// [*client.AlreadyExistsError] if another start was first.
	Confirm(ctx context.Context, name string, started client.Started) error
	Raise(ctx context.Context, r client.RaiseRequest) error
	// CheckRaise sends nothing, and returns what is odd about an event, a sentence
	// each.
	CheckRaise(ctx context.Context, r client.RaiseRequest) ([]string, error)
	// Catalog is what the code has, and CheckData says what is wrong with data for a
	// type of it. An error where that is not known.
	Catalog(ctx context.Context) (api.Catalog, error)
	CheckData(ctx context.Context, check api.Check) (api.Checked, error)
	Cancel(ctx context.Context, instance, reason string) error
	Terminate(ctx context.Context, instance, reason string) error
	Wake(ctx context.Context, instance string) error
	Suspend(ctx context.Context, instance, reason string) error
	Resume(ctx context.Context, instance, reason string) error
	Reschedule(ctx context.Context, instance string, at time.Time) error
	FireTimer(ctx context.Context, instance string, eventID int64, reason string) error
	// OpenTimer is the timer that FireTimer would fire. It sends nothing.
	OpenTimer(ctx context.Context, instance string, eventID int64) (client.PendingOperation, error)
	RetryNow(ctx context.Context, instance string, eventID int64) error
	// NextAttempt is the attempt that RetryNow would have made. It sends nothing.
	NextAttempt(ctx context.Context, instance string, eventID int64) (store.NextAttempt, error)
	Purge(ctx context.Context, instance string, what api.Purge) error

	Complete(ctx context.Context, token string, result json.RawMessage) error
	Fail(ctx context.Context, token string, failure Failure) error
	Heartbeat(ctx context.Context, token string, details json.RawMessage) error

	Describe(ctx context.Context, instance string) (client.Description, error)
	Wait(ctx context.Context, instance string) (client.Description, error)
	WaitUntil(ctx context.Context, instance string, enough func(*client.Description) bool) (client.Description, error)
	Waiting(ctx context.Context, instance string) (client.Waiting, error)
	Export(ctx context.Context, instance string, execution int64) (history.Export, error)
	// Timeline is what happened in the newest executions of an instance, with what
	// they cost; with at as it stood after that event: "17", "3.17".
	Timeline(ctx context.Context, instance string, executions int, at string) (api.Timeline, error)
	// Attempts are those of the activity that an event has scheduled; execution 0 is the
	// current one.
	Attempts(ctx context.Context, instance string, execution, event int64) (api.Attempts, error)
	// Difference compares two executions; 0 is the current one.
	Difference(ctx context.Context, a string, executionA int64, b string, executionB int64, all bool) (api.Difference, error)
	// Code is where the code of an instance waits; an error where the code is not at hand.
	Code(ctx context.Context, instance string) (api.CodeWaits, error)
	List(ctx context.Context, q client.ListQuery) (client.ListPage, error)
	// Failures are what failed between the times of a query, by cause; with a key those
	// of this cause, with its instances.
	Failures(ctx context.Context, q client.ListQuery, key string) (api.FailureList, error)
	// Limits, and what changes them; see client.Client.
	Limits(ctx context.Context) ([]client.Limit, error)
	Limit(ctx context.Context, key string) (client.Limit, error)
	SetLimit(ctx context.Context, key string, n int) error
	ResetLimit(ctx context.Context, key string) error
	Rate(ctx context.Context, key string) (client.Limit, error)
	SetRate(ctx context.Context, key string, n int, per time.Duration) error
	ResetRate(ctx context.Context, key string) error
	InstanceLimits(ctx context.Context) ([]client.Limit, error)
	InstanceLimit(ctx context.Context, key string) (client.Limit, error)
	SetInstanceLimit(ctx context.Context, key string, n int) error
	ResetInstanceLimit(ctx context.Context, key string) error
	MoveToFront(ctx context.Context, instance string) error
	CountByStatus(ctx context.Context, q client.ListQuery, most int) (counts map[client.Status]int, more map[client.Status]bool, err error)
}

// Failure is what a person says of an activity that failed.
type Failure struct {
	Message, Code string
	Details       json.RawMessage
}
