package sqlite_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/sqlite"
)

// A permit of a rate stays taken after its attempt: the next process begins no more attempts within
// the span than the rate allows.
func TestARateAppliesAcrossARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		send := turnstile.NewActivity[int, int]("send").With(turnstile.Rate("sms", 2, time.Hour))
		both := turnstile.NewOrchestration[int, int]("Both")
		var begun atomic.Int64
		app := turnstile.NewApp(both.Implement(func(ctx turnstile.Context, n int) (int, error) {
			a, b := send.Start(ctx, n), send.Start(ctx, n)
			if _, err := a.Await(ctx); err != nil {
				return 0, err
			}
			return b.Await(ctx)
		}), send.Implement(func(_ context.Context, n int) (int, error) {
			begun.Add(1)
			return n, nil
		}))
		dir := t.TempDir()
		db := openIn(t, dir)
		env, stop := runtimeOn(t, db, app)
		begin(t, env, both, 1, "first")
		wantResult(t, env, both, "first", 1)
		stop()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}

		startedAt := time.Now()
		env, _ = runtimeOn(t, openIn(t, dir), app)
		begin(t, env, both, 2, "second")
		time.Sleep(50 * time.Minute)
		if n := begun.Load(); n != 2 {
			t.Errorf("%d attempts in an hour with a restart, want 2", n)
		}
		wantResult(t, env, both, "second", 2)
		if took := time.Since(startedAt); took > 70*time.Minute {
			t.Errorf("the next two took %s", took)
		}
	})
}

// An attempt that a kill interrupted does not wait for the permit that it had itself.
func TestAnInterruptedAttemptDoesNotWaitForItsOwnPermit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := turnstile.NewActivity[int, int]("hold").With(turnstile.Limit("k", 1), turnstile.AttemptTimeout(time.Hour))
		one := turnstile.NewOrchestration[int, int]("One")
		begun := make(chan struct{}, 1)
		var quick atomic.Bool
		app := turnstile.NewApp(one.Implement(func(ctx turnstile.Context, n int) (int, error) {
			return hold.Call(ctx, n)
		}), hold.Implement(func(ctx context.Context, n int) (int, error) {
			if quick.Load() {
				return n, nil
			}
			begun <- struct{}{}
			return ends(ctx, n)
		}))
		dir, disk := t.TempDir(), newDisk(t)
		db := openIn(t, dir, sqlite.VFS(disk.name))
		env, _ := runtimeOn(t, db, app)
		begin(t, env, one, 7, "one")
		<-begun
		synctest.Wait()
		time.Sleep(time.Second)
		dir = disk.kill(t)

		quick.Store(true)
		startedAt := time.Now()
		env, _ = runtimeOn(t, openIn(t, dir), app)
		wantResult(t, env, one, "one", 7)
		if took := time.Since(startedAt); took > time.Minute {
			t.Errorf("the interrupted attempt came after %s", took)
		}
	})
}
