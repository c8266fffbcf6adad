package backend

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/advice"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// OfClient returns the instances of a client. catalog is that of the code; nil if it is not
// known.
func OfClient(c *client.Client, now func() time.Time, catalog console.CatalogReader) Instances {
	return ofClient{c, now, catalog}
}

type ofClient struct {
	*client.Client
	now     func() time.Time
	catalog console.CatalogReader
}

func (c ofClient) Confirm(ctx context.Context, name string, started client.Started) error {
	run := client.Attach(c.Client, turnstile.NewOrchestration[json.RawMessage, json.RawMessage](name), started.Instance)
	run.StartID, run.After = started.StartID, started.After
	return run.WaitStarted(ctx)
}

func (c ofClient) Timeline(ctx context.Context, instance string, executions int, at string) (api.Timeline, error) {
	over, err := c.console()
	if err != nil {
		return api.Timeline{}, err
	}
	return over.Timeline(ctx, instance, executions, at)
}

func (c ofClient) Attempts(ctx context.Context, instance string, execution, event int64) (api.Attempts, error) {
	over, err := c.console()
	if err != nil {
		return api.Attempts{}, err
	}
	return over.Attempts(ctx, instance, execution, event)
}

func (c ofClient) Difference(ctx context.Context, a string, executionA int64, b string, executionB int64, all bool) (api.Difference, error) {
	over, err := c.console()
	if err != nil {
		return api.Difference{}, err
	}
	return over.Difference(ctx, a, executionA, b, executionB, all)
}

func (c ofClient) Code(ctx context.Context, instance string) (api.CodeWaits, error) {
	over, err := c.console()
	if err != nil {
		return api.CodeWaits{}, err
	}
	return over.Code(ctx, instance)
}

func (c ofClient) Failures(ctx context.Context, q client.ListQuery, key string) (api.FailureList, error) {
	over, err := c.console()
	if err != nil {
		return api.FailureList{}, err
	}
	return over.Failures(ctx, q, key)
}

// console is one that is made to ask it for what only a console puts together.
func (c ofClient) console() (*remote.Client, error) {
	handler, err := console.Handler(c.Client, console.WithExplainer(advice.Explain), console.WithClock(c.now))
	if err != nil {
		return nil, err
	}
	return remote.Over(handler, nil), nil
}

func (c ofClient) Purge(ctx context.Context, instance string, what api.Purge) error {
	return c.Client.Purge(ctx, instance, console.PurgeOptions(what)...)
}

func (c ofClient) Fail(ctx context.Context, token string, failure Failure) error {
	return c.Client.Fail(ctx, token, &givenFailure{failure})
}

// Catalog asks a console for it that is made for that.
func (c ofClient) Catalog(ctx context.Context) (api.Catalog, error) {
	over, err := c.knowing()
	if err != nil {
		return api.Catalog{}, err
	}
	return over.Catalog(ctx)
}

// CheckData does the same.
func (c ofClient) CheckData(ctx context.Context, check api.Check) (api.Checked, error) {
	over, err := c.knowing()
	if err != nil {
		return api.Checked{}, err
	}
	return over.CheckData(ctx, check)
}

// CheckRaise asks the client, and where that does not know the event's type, the catalog.
func (c ofClient) CheckRaise(ctx context.Context, r client.RaiseRequest) ([]string, error) {
	check, err := c.Client.CheckRaise(ctx, r)
	notes := check.Notes()
	if err != nil || check.Data != nil {
		return notes, err
	}
	checked, err := c.CheckData(ctx, api.Check{Kind: "event", Name: r.Name, Data: string(r.Data)})
	if err != nil {
		return notes, nil // The code is not known.
	}
	for _, p := range checked.Problems {
		notes = append(notes, "data of event "+strconv.Quote(r.Name)+": "+p.Text)
	}
	return notes, nil
}

// knowing is a console that knows what the code has.
func (c ofClient) knowing() (*remote.Client, error) {
	handler, err := console.Handler(c.Client, console.WithExplainer(advice.Explain), console.WithClock(c.now), console.WithCatalog(c.catalog))
	if err != nil {
		return nil, err
	}
	return remote.Over(handler, nil), nil
}

// givenFailure is a failure as a client takes it.
type givenFailure struct{ given Failure }

func (f *givenFailure) Error() string { return f.given.Message }

// Failure says how the error is recorded.
func (f *givenFailure) Failure() *history.Failure {
	return &history.Failure{Kind: history.FailureApplication, Message: f.given.Message, Code: f.given.Code, Details: f.given.Details}
}
