package dbos

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite"
)

// There is no virtual time: the answer is sent.
func aTest(t *testing.T, ctx dbos.Context) {
	run, err := dbos.RunWorkflow(ctx, anEventOrATimeout, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := dbos.Send(ctx, run.GetWorkflowID(), "yes", "go"); err != nil {
		t.Fatal(err)
	}
	if answer, err := run.GetResult(); answer != "yes" || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
}

func launched(t *testing.T) dbos.Context {
	ctx, err := dbos.NewContext(context.Background(), dbos.Config{
		AppName: "tasks", DatabaseURL: "sqlite:" + filepath.Join(t.TempDir(), "tasks.db"),
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	dbos.RegisterWorkflow(ctx, anActivityWithARetry)
	dbos.RegisterWorkflow(ctx, aFanOutWithALimit)
	dbos.RegisterWorkflow(ctx, anEventOrATimeout)
	dbos.RegisterWorkflow(ctx, aChild)
	dbos.RegisterWorkflow(ctx, aSaga)
	dbos.RegisterWorkflow(ctx, aVersionChange)
	dbos.RegisterWorkflow(ctx, transfer)
	if err := dbos.Launch(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dbos.Shutdown(ctx, time.Minute) })
	return ctx
}

func result[In, Out any](t *testing.T, ctx dbos.Context, code dbos.Workflow[In, Out], in In) (Out, error) {
	run, err := dbos.RunWorkflow(ctx, code, in)
	if err != nil {
		t.Fatal(err)
	}
	return run.GetResult()
}

func TestTheEightTasks(t *testing.T) {
	var mu sync.Mutex
	tries, cancelled := map[string]int{}, []int(nil)
	fetch = func(_ context.Context, url string) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if tries[url]++; tries[url] < 3 || url == "bad" {
			return 0, errors.New("busy")
		}
		return len(url), nil
	}
	cancel = func(_ context.Context, booking int) error {
		cancelled = append(cancelled, booking)
		return nil
	}
	// The interval between tries passes in real time.
	fetchRetry = []dbos.StepOption{dbos.WithStepMaxRetries(4), dbos.WithStepBaseInterval(time.Millisecond)}
	ctx := launched(t)
	var err error
	if fetches, err = dbos.RegisterQueue(ctx, "fetches", dbos.WithGlobalConcurrency(10)); err != nil {
		t.Fatal(err)
	}

	aTest(t, ctx)
	if n, err := result(t, ctx, anActivityWithARetry, "abc"); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := result(t, ctx, aChild, "abc"); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := result(t, ctx, aVersionChange, "abc"); n != 11 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if all, err := result(t, ctx, aFanOutWithALimit, []string{"a", "bc"}); !slices.Equal(all, []int{1, 2}) || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	run, err := dbos.RunWorkflow(ctx, transfer, Order{ID: "7"})
	if err != nil {
		t.Fatal(err)
	}
	if err := dbos.Send(ctx, run.GetWorkflowID(), "yes", "approved"); err != nil {
		t.Fatal(err)
	}
	if parcel, err := run.GetResult(); parcel != "parcel for receipt 7" || err != nil {
		t.Errorf("%q, %v", parcel, err)
	}
	if _, err := result(t, ctx, aSaga, []string{"a", "bc", "bad"}); err == nil || !slices.Equal(cancelled, []int{2, 1}) {
		t.Errorf("cancelled %v, %v", cancelled, err)
	}
}
