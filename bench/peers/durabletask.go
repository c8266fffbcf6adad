package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/microsoft/durabletask-go/api"
	"github.com/microsoft/durabletask-go/backend"
	"github.com/microsoft/durabletask-go/backend/sqlite"
	"github.com/microsoft/durabletask-go/task"
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
	if err := r.AddOrchestratorN("chain", durableTaskChain); err != nil {
		return nil, err
	}
	if err := r.AddOrchestratorN("fan-out", durableTaskFanOut); err != nil {
		return nil, err
	}
	if err := r.AddActivityN("add", durableTaskAdd); err != nil {
		return nil, err
	}
	executor := task.NewTaskExecutor(r)
	dsn := "file:" + file + "?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(" + synchronous + ")"
	be := sqlite.NewSqliteBackend(sqlite.NewSqliteOptions(dsn), quiet{})
	worker := backend.NewTaskHubWorker(be,
		backend.NewOrchestrationWorker(be, executor, quiet{}, backend.WithMaxParallelism(10)),
		backend.NewActivityTaskWorker(be, executor, quiet{}, backend.WithMaxParallelism(10)), quiet{})
	if err := worker.Start(ctx); err != nil {
		return nil, err
	}
	return &durableTask{backend.NewTaskHubClient(be), worker}, nil
}

func (e *durableTask) run(ctx context.Context, s shape, id string) (int, error) {
	name := "chain"
	if s.fanOut {
		name = "fan-out"
	}
	started, err := e.client.ScheduleNewOrchestration(ctx, name, api.WithInstanceID(api.InstanceID(id)), api.WithInput(s.steps))
	if err != nil {
		return 0, err
	}
	end, err := e.client.WaitForOrchestrationCompletion(ctx, started)
	if err != nil {
		return 0, err
	}
	if end.FailureDetails != nil {
		return 0, fmt.Errorf("%s: %s", end.FailureDetails.ErrorType, end.FailureDetails.ErrorMessage)
	}
	var v int
	return v, json.Unmarshal([]byte(end.SerializedOutput), &v)
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
