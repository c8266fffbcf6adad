package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/microsoft/durabletask-go/api"
	"github.com/microsoft/durabletask-go/backend"
	"github.com/microsoft/durabletask-go/backend/sqlite"
	"github.com/microsoft/durabletask-go/task"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

type durableTask struct {
	client backend.TaskHubClient
	worker backend.TaskHubWorker
}

// quiet is a logger that says nothing.
type quiet struct{}

func (quiet) Debug(...any)          {}
func (quiet) Debugf(string, ...any) {}
func (quiet) Info(...any)           {}
func (quiet) Infof(string, ...any)  {}
func (quiet) Warn(...any)           {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Error(...any)          {}
func (quiet) Errorf(string, ...any) {}

func newDurableTask(ctx context.Context, file, synchronous string) (engine, error) {
	r := task.NewTaskRegistry()
	e := &durableTask{}
	for name, f := range map[work]task.Orchestrator{
		chain: durableTaskChain, fanOut: durableTaskFanOut, hello: durableTaskHello, greetAll: durableTaskGreetAll,
		transfer: durableTaskTransfer, trip: durableTaskTrip, "account": durableTaskAccount,
	} {
		if err := r.AddOrchestratorN(string(name), f); err != nil {
			return nil, err
		}
	}
	for name, f := range map[string]task.Activity{
		"add": durableTaskAdd, "say-hello": durableTaskSayHello, "raise": e.raise, "book": durableTaskBook, "cancel": durableTaskCancel,
	} {
		if err := r.AddActivityN(name, f); err != nil {
			return nil, err
		}
	}
	executor := task.NewTaskExecutor(r)
	dsn := "file:" + file + "?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(" + synchronous + ")"
	be := sqlite.NewSqliteBackend(sqlite.NewSqliteOptions(dsn), quiet{})
	worker := backend.NewTaskHubWorker(be,
		backend.NewOrchestrationWorker(be, executor, quiet{}, backend.WithMaxParallelism(10)),
		backend.NewActivityTaskWorker(be, executor, quiet{}, backend.WithMaxParallelism(10)), quiet{})
	e.client, e.worker = backend.NewTaskHubClient(be), worker
	return e, worker.Start(ctx)
}

func (e *durableTask) run(ctx context.Context, s shape, id string) (int, error) {
	return s.made(e.finish(ctx, string(s.work), s.input(id), id))
}

// finish runs an orchestration to its end.
func (e *durableTask) finish(ctx context.Context, name string, input any, id string) (int, error) {
	if err := e.start(ctx, name, input, id); err != nil {
		return 0, err
	}
	return e.result(ctx, id)
}

func (e *durableTask) start(ctx context.Context, name string, input any, id string) error {
	_, err := e.client.ScheduleNewOrchestration(ctx, name, api.WithInstanceID(api.InstanceID(id)), api.WithInput(input))
	return err
}

func (e *durableTask) result(ctx context.Context, id string) (int, error) {
	end, err := e.client.WaitForOrchestrationCompletion(ctx, api.InstanceID(id))
	if err != nil {
		return 0, err
	}
	if end.FailureDetails != nil {
		return 0, fmt.Errorf("%s: %s", end.FailureDetails.ErrorType, end.FailureDetails.ErrorMessage)
	}
	var v int
	return v, json.Unmarshal([]byte(end.SerializedOutput), &v)
}

func (e *durableTask) openAccount(ctx context.Context, id string) error {
	if err := e.start(ctx, "account", opening, id); err != nil {
		return err
	}
	_, err := e.client.WaitForOrchestrationStart(ctx, api.InstanceID(id))
	return err
}

func (e *durableTask) closeAccount(ctx context.Context, id string) (int, error) {
	if err := e.client.RaiseEvent(ctx, api.InstanceID(id), "posted", api.WithEventPayload(workloads.Posting{Close: true})); err != nil {
		return 0, err
	}
	return e.result(ctx, id)
}

func (e *durableTask) close() error { return e.worker.Shutdown(context.Background()) }

func durableTaskAdd(ctx task.ActivityContext) (any, error) {
	var v int
	if err := ctx.GetInput(&v); err != nil {
		return nil, err
	}
	return v + 1, nil
}

func durableTaskChain(ctx *task.OrchestrationContext) (any, error) {
	var n, v int
	if err := ctx.GetInput(&n); err != nil {
		return nil, err
	}
	for range n {
		if err := ctx.CallActivity("add", task.WithActivityInput(v)).Await(&v); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func durableTaskFanOut(ctx *task.OrchestrationContext) (any, error) {
	var n int
	if err := ctx.GetInput(&n); err != nil {
		return nil, err
	}
	tasks := make([]task.Task, n)
	for i := range tasks {
		tasks[i] = ctx.CallActivity("add", task.WithActivityInput(0))
	}
	sum := 0
	for _, t := range tasks {
		var v int
		if err := t.Await(&v); err != nil {
			return nil, err
		}
		sum += v
	}
	return sum, nil
}
