package main

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/cschleiden/go-workflows/backend"
	"github.com/cschleiden/go-workflows/backend/monoprocess"
	"github.com/cschleiden/go-workflows/backend/sqlite"
	"github.com/cschleiden/go-workflows/client"
	"github.com/cschleiden/go-workflows/worker"
	"github.com/cschleiden/go-workflows/workflow"
)

type goWorkflows struct {
	backend backend.Backend
	worker  *worker.Worker
	client  *client.Client
	stop    context.CancelFunc
}

// newGoWorkflows wraps the backend as its own benchmark does, so that nothing
// waits for a poll.
func newGoWorkflows(_ context.Context, file, synchronous string) (engine, error) {
	// The backend writes "?_txlock=immediate" behind the path.
	path := file + "?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(" + synchronous + ")&rest="
	b := monoprocess.NewMonoprocessBackend(sqlite.NewSqliteBackend(path,
		sqlite.WithBackendOptions(backend.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))))
	ctx, stop := context.WithCancel(context.Background())
	w := worker.New(b, nil)
	for _, f := range []any{goWorkflowsChain, goWorkflowsFanOut} {
		if err := w.RegisterWorkflow(f); err != nil {
			stop()
			return nil, err
		}
	}
	if err := w.RegisterActivity(goWorkflowsAdd); err != nil {
		stop()
		return nil, err
	}
	if err := w.Start(ctx); err != nil {
		stop()
		return nil, err
	}
	return &goWorkflows{b, w, client.New(b), stop}, nil
}

func (e *goWorkflows) run(ctx context.Context, s shape, id string) (int, error) {
	f := goWorkflowsChain
	if s.fanOut {
		f = goWorkflowsFanOut
	}
	wf, err := e.client.CreateWorkflowInstance(ctx, client.WorkflowInstanceOptions{InstanceID: id}, f, s.steps)
	if err != nil {
		return 0, err
	}
	return client.GetWorkflowResult[int](ctx, e.client, wf, time.Minute)
}

func (e *goWorkflows) close() error {
	e.stop()
	if err := e.worker.WaitForCompletion(); err != nil {
		return err
	}
	return e.backend.Close()
}

func goWorkflowsAdd(_ context.Context, v int) (int, error) { return v + 1, nil }

func goWorkflowsChain(ctx workflow.Context, n int) (int, error) {
	v := 0
	for range n {
		var err error
		if v, err = workflow.ExecuteActivity[int](ctx, workflow.DefaultActivityOptions, goWorkflowsAdd, v).Get(ctx); err != nil {
			return 0, err
		}
	}
	return v, nil
}

func goWorkflowsFanOut(ctx workflow.Context, n int) (int, error) {
	futures := make([]workflow.Future[int], n)
	for i := range futures {
		futures[i] = workflow.ExecuteActivity[int](ctx, workflow.DefaultActivityOptions, goWorkflowsAdd, 0)
	}
	sum := 0
	for _, f := range futures {
		v, err := f.Get(ctx)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}
