package backend

import (
	"context"
	"encoding/json"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// Instances is the client that commands use: a client of a stack, or of a console's API.
type Instances interface {
	acts.Caller
	Views
	// Start and Raise are acts too, which schedules need as methods of client.Client.
	Start(ctx context.Context, r client.StartRequest) (client.Started, error)
	// Confirm waits until the instance exists. It returns [*client.AlreadyExistsError] if another
	// start took the id first.
	Confirm(ctx context.Context, name string, started client.Started) error
	Raise(ctx context.Context, r client.RaiseRequest) error
	Describe(ctx context.Context, instance string) (client.Description, error)
	Wait(ctx context.Context, instance string) (client.Description, error)
	WaitUntil(ctx context.Context, instance string, enough func(*client.Description) bool) (client.Description, error)
	Pending(ctx context.Context, instance string) (client.Pending, error)
	Query(ctx context.Context, r client.QueryRequest) (client.QueryAnswer[json.RawMessage], error)
	// UpdateStatus returns how far an update has come, and WaitUpdate waits until it is answered or,
	// with client.UpdateAccepted, decided.
	UpdateStatus(ctx context.Context, instance, id string) (client.UpdateStatus, error)
	WaitUpdate(ctx context.Context, instance, id string, stage client.UpdateStage) (client.UpdateStatus, error)
	// PausedQueues returns the paused queues, as far as they are known.
	PausedQueues(ctx context.Context) ([]api.PausedQueue, error)
	Export(ctx context.Context, instance string, execution int64) (history.Export, error)
	List(ctx context.Context, q client.ListQuery) (client.ListPage, error)
	CountByStatus(ctx context.Context, q client.ListQuery, most int) (counts map[client.Status]int, more map[client.Status]bool, err error)
}

// Views are what only a console computes.
type Views interface {
	// Catalog returns the catalog of the code, and CheckData the problems of data for a type of
	// the code. Both return an error if the code is not known.
	Catalog(ctx context.Context) (api.Catalog, error)
	CheckData(ctx context.Context, check api.Check) (api.Checked, error)
	// Timeline returns the timeline of the newest executions of an instance, with their cost. With
	// at, such as "17" or "3.17", it returns the state after that event.
	Timeline(ctx context.Context, instance string, executions int, at string) (api.Timeline, error)
	// Attempts returns the attempts of the activity that an event scheduled; execution 0 is the
	// current one.
	Attempts(ctx context.Context, instance string, execution, event int64) (api.Attempts, error)
	// Difference compares two executions; 0 is the current one.
	Difference(ctx context.Context, a string, executionA int64, b string, executionB int64, all bool) (api.Difference, error)
	// Code returns where the code of an instance waits. It returns an error without the code.
	Code(ctx context.Context, instance string) (api.CodeWaits, error)
	// Failures returns the failures in the period of a query, grouped by cause. With a key it
	// returns only this cause, with its instances.
	Failures(ctx context.Context, q client.ListQuery, key string) (api.FailureList, error)
	// Metrics counts the instances that started in the period of a query, and Steps returns the
	// durations of their steps, for one orchestration.
	Metrics(ctx context.Context, q client.ListQuery) (api.Metrics, error)
	Steps(ctx context.Context, q client.ListQuery) (api.StepList, error)
	// LimitList returns the limits and rates with a key, or all of them, longest waiting list first.
	LimitList(ctx context.Context, key string) (api.LimitList, error)
	// ScheduleList returns a page of schedules, newest first, and Schedule the state of one.
	ScheduleList(ctx context.Context, token string) (api.ScheduleList, error)
	Schedule(ctx context.Context, name string) (api.Schedule, error)
}
