package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

// Many instances have failed, and what they call is mended: each goes on, and nothing that
// was completed runs again. With TURNSTILE_REDRIVE_INSTANCES=1000 there are so many.
func TestO10ManyInstancesAreRedriven(t *testing.T) {
	many := 60
	if n, err := strconv.Atoi(os.Getenv("TURNSTILE_REDRIVE_INSTANCES")); err == nil {
		many = n
	}
	db, err := sqlite.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var (
		order             = turnstile.NewOrchestration[int, int]("Order")
		reserve           = turnstile.NewActivity[int, int]("Reserve")
		charge            = turnstile.NewActivity[int, int]("Charge")
		reserved, charged atomic.Int64
		mended            atomic.Bool
	)
	app := turnstile.NewApp(
		reserve.Implement(func(_ context.Context, n int) (int, error) { reserved.Add(1); return n, nil }),
		charge.Implement(func(_ context.Context, n int) (int, error) {
			charged.Add(1)
			if !mended.Load() {
				return 0, turnstile.NonRetryable(errors.New("the bank is down"))
			}
			return n, nil
		}),
		order.Implement(func(ctx turnstile.Context, n int) (int, error) {
			if _, err := reserve.Call(ctx, n); err != nil {
				return 0, err
			}
			return charge.Call(ctx, n)
		}))
	r, err := embedded.New(app, embedded.WithDatabase(db))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error)
	go func() { over <- r.Run(ctx) }()
	defer func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}()
	c := r.Client()
	runs := make([]*client.Run[int], many)
	for i := range runs {
		if runs[i], err = client.Start(ctx, c, order, i, client.WithInstanceID(fmt.Sprint("o-", i))); err != nil {
			t.Fatal(err)
		}
	}
	for _, run := range runs {
		if _, err := run.Wait(ctx); err == nil {
			t.Fatal("it did not fail")
		}
	}
	mended.Store(true)
	startedAt := time.Now()
	for _, run := range runs {
		redriven, err := c.Redrive(ctx, client.RedriveRequest{Instance: run.Instance})
		if err != nil {
			t.Fatal(err)
		}
		run.StartID, run.PreviousExecution = redriven.StartID, redriven.PreviousExecution
	}
	for i, run := range runs {
		if got, err := run.Wait(ctx); err != nil || got != i {
			t.Errorf("%s gave %d, %v", run.Instance, got, err)
		}
	}
	t.Logf("%d instances redriven in %s", many, time.Since(startedAt))
	if n := int64(many); reserved.Load() != n || charged.Load() != 2*n {
		t.Errorf("%d reserved, %d charged: want %d and %d", reserved.Load(), charged.Load(), n, 2*n)
	}
}
