package backend

import (
	"context"
	"encoding/json"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/advice"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// OfClient adapts a client to Instances. catalog reads the catalog of the code, and queues reads which
// queues are paused; each is nil if it is not known.
func OfClient(c *client.Client, now func() time.Time, catalog console.CatalogReader, queues console.QueueReader) (Instances, error) {
	handler, err := console.Handler(c, console.WithExplainer(advice.Explain), console.WithClock(now), console.WithCatalog(catalog), console.WithQueues(queues))
	if err != nil {
		return nil, err
	}
	return ofClient{c, remote.Over(handler, nil), catalog, queues}, nil
}

type ofClient struct {
	*client.Client
	// Views are those of an in-process console, which computes them.
	Views
	catalog console.CatalogReader
	queues  console.QueueReader
}

// PausedQueues implements [Instances].
func (c ofClient) PausedQueues(ctx context.Context) ([]api.PausedQueue, error) {
	r, ok := c.queues.(console.QueuePauseReader)
	if !ok {
		return nil, nil
	}
	return r.PausedQueues(ctx)
}

func (c ofClient) Confirm(ctx context.Context, name string, started client.Started) error {
	run := client.Attach(c.Client, turnstile.NewOrchestration[json.RawMessage, json.RawMessage](name), started.Instance)
	run.StartID, run.PreviousExecution = started.StartID, started.PreviousExecution
	return run.WaitStarted(ctx)
}

// Act implements [acts.Caller].
func (c ofClient) Act(ctx context.Context, act acts.Any, id string, in, out any) error {
	return act.Do(ctx, console.On(c.Client, c.catalog, id), in, out)
}
