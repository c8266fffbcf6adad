package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

// DBOS keeps a workflow's steps as rows that are written when a step is done;
// the workflow runs in the process that started it, and nothing is queued.
type dbosEngine struct {
	ctx dbos.Context
	db  *sql.DB
}

func newDBOS(_ context.Context, file, synchronous string) (engine, error) {
	dsn := fmt.Sprintf("file:%s?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=foreign_keys(ON)&_pragma=journal_mode(WAL)&_pragma=synchronous(%s)", file, synchronous)
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	// As its own pool is set up.
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(4)
	ctx, err := dbos.NewContext(context.Background(), dbos.Config{
		AppName: "peers", SQLiteSystemDB: db, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, err
	}
	dbos.RegisterWorkflow(ctx, dbosChain)
	dbos.RegisterWorkflow(ctx, dbosFanOut)
	dbos.RegisterWorkflow(ctx, dbosHello)
	dbos.RegisterWorkflow(ctx, dbosGreetAll)
	dbos.RegisterWorkflow(ctx, dbosAccount)
	dbos.RegisterWorkflow(ctx, dbosTransfer)
	dbos.RegisterWorkflow(ctx, dbosTrip)
	return &dbosEngine{ctx, db}, dbos.Launch(ctx)
}

func (e *dbosEngine) run(_ context.Context, s shape, id string) (int, error) {
	switch s.work {
	case chain:
		return dbosFinish(e.ctx, dbosChain, s.steps, id)
	case fanOut:
		return dbosFinish(e.ctx, dbosFanOut, s.steps, id)
	case hello:
		return dbosFinish(e.ctx, dbosHello, 0, id)
	case greetAll:
		return dbosFinish(e.ctx, dbosGreetAll, s.steps, id)
	case transfer:
		return dbosFinish(e.ctx, dbosTransfer, workloads.Order{From: from(id), To: to(id), Amount: amount}, id)
	default:
		_, err := dbosFinish(e.ctx, dbosTrip, lacking, id)
		return s.steps, refused(err)
	}
}

// dbosFinish runs a workflow to its end.
func dbosFinish[In, Out any](ctx dbos.Context, w dbos.Workflow[In, Out], in In, id string) (Out, error) {
	handle, err := dbos.RunWorkflow(ctx, w, in, dbos.WithWorkflowID(id))
	if err != nil {
		var zero Out
		return zero, err
	}
	return handle.GetResult()
}

func (e *dbosEngine) openAccount(_ context.Context, id string) error {
	_, err := dbos.RunWorkflow(e.ctx, dbosAccount, opening, dbos.WithWorkflowID(id))
	return err
}

func (e *dbosEngine) closeAccount(_ context.Context, id string) (int, error) {
	if err := dbos.Send(e.ctx, id, workloads.Posting{Close: true}, "posted"); err != nil {
		return 0, err
	}
	handle, err := dbos.RetrieveWorkflow[int](e.ctx, id)
	if err != nil {
		return 0, err
	}
	return handle.GetResult()
}

func (e *dbosEngine) close() error {
	return errors.Join(dbos.Shutdown(e.ctx, 10*time.Second), e.db.Close())
}

func dbosChain(ctx dbos.Context, n int) (int, error) {
	v := 0
	for range n {
		var err error
		if v, err = dbos.RunAsStep(ctx, func(context.Context) (int, error) { return v + 1, nil }); err != nil {
			return 0, err
		}
	}
	return v, nil
}

func dbosFanOut(ctx dbos.Context, n int) (int, error) {
	outcomes := make([]<-chan dbos.StepOutcome[int], n)
	for i := range outcomes {
		var err error
		if outcomes[i], err = dbos.Go(ctx, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return 0, err
		}
	}
	sum := 0
	for _, c := range outcomes {
		o := <-c
		if o.Err != nil {
			return 0, o.Err
		}
		sum += o.Result
	}
	return sum, nil
}
