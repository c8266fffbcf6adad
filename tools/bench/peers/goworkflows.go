package main

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cschleiden/go-workflows/backend"
	"github.com/cschleiden/go-workflows/backend/monoprocess"
	"github.com/cschleiden/go-workflows/backend/sqlite"
	"github.com/cschleiden/go-workflows/client"
	"github.com/cschleiden/go-workflows/worker"
	"github.com/cschleiden/go-workflows/workflow"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

type goWorkflows struct {
	backend backend.Backend
	worker  *worker.Worker
	client  *client.Client
	stop    context.CancelFunc
	// accounts are *workflow.Instance by their ids.
	accounts sync.Map
}

// goWorkflowsOf has the workflow of each work.
var goWorkflowsOf = map[work]workflow.Workflow{
	chain: goWorkflowsChain, fanOut: goWorkflowsFanOut, hello: goWorkflowsHello, greetAll: goWorkflowsGreetAll,
	transfer: goWorkflowsTransfer, trip: goWorkflowsTrip,
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
	for _, f := range append(slices.Collect(maps.Values(goWorkflowsOf)), goWorkflowsAccount) {
		if err := w.RegisterWorkflow(f); err != nil {
			stop()
			return nil, err
		}
	}
	for _, f := range []any{goWorkflowsAdd, goWorkflowsSayHello, goWorkflowsBook, goWorkflowsCancel} {
		if err := w.RegisterActivity(f); err != nil {
			stop()
			return nil, err
		}
	}
	if err := w.Start(ctx); err != nil {
		stop()
		return nil, err
	}
	return &goWorkflows{backend: b, worker: w, client: client.New(b), stop: stop}, nil
}

func (e *goWorkflows) run(ctx context.Context, s shape, id string) (int, error) {
	return s.made(e.finish(ctx, id, goWorkflowsOf[s.work], s.input(id)))
}

// finish runs a workflow to its end.
func (e *goWorkflows) finish(ctx context.Context, id string, f workflow.Workflow, input any) (int, error) {
	wf, err := e.client.CreateWorkflowInstance(ctx, client.WorkflowInstanceOptions{InstanceID: id}, f, input)
	if err != nil {
		return 0, err
	}
	return client.GetWorkflowResult[int](ctx, e.client, wf, time.Minute)
}

func (e *goWorkflows) openAccount(ctx context.Context, id string) error {
	wf, err := e.client.CreateWorkflowInstance(ctx, client.WorkflowInstanceOptions{InstanceID: id}, goWorkflowsAccount, opening)
	if err == nil {
		e.accounts.Store(id, wf)
	}
	return err
}

func (e *goWorkflows) closeAccount(ctx context.Context, id string) (int, error) {
	if err := e.client.SignalWorkflow(ctx, id, "posted", workloads.Posting{Close: true}); err != nil {
		return 0, err
	}
	wf, _ := e.accounts.Load(id)
	return client.GetWorkflowResult[int](ctx, e.client, wf.(*workflow.Instance), time.Minute)
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
