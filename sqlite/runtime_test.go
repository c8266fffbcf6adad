package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

var (
	add     = turnstile.NewActivity[int, int]("Add")
	chain   = turnstile.NewOrchestration[int, int]("Chain")
	fanOut  = turnstile.NewOrchestration[int, int]("FanOut")
	slept   = turnstile.NewOrchestration[time.Duration, string]("Slept")
	waits   = turnstile.NewOrchestration[int, int]("Waits")
	proceed = turnstile.NewEvent[int]("go on")
	hang    = turnstile.NewActivity[int, int]("Hang")
	hangs   = turnstile.NewOrchestration[int, int]("Hangs")
)

// application is made of all of those; Hang is what a test makes of it.
func application(implementation func(context.Context, int) (int, error)) *turnstile.App {
	return turnstile.NewApp(
		add.Implement(func(_ context.Context, n int) (int, error) { return n + 1, nil }),
		chain.Implement(func(ctx turnstile.Context, n int) (sum int, err error) {
			for range n {
				if sum, err = add.Call(ctx, sum); err != nil {
					return 0, err
				}
			}
			return sum, nil
		}),
		fanOut.Implement(func(ctx turnstile.Context, n int) (int, error) {
			started := make([]turnstile.Future[int], n)
			for i := range started {
				started[i] = add.Start(ctx, 0)
			}
			sum := 0
			for _, f := range started {
				one, err := f.Await(ctx)
				if err != nil {
					return 0, err
				}
				sum += one
			}
			return sum, nil
		}),
		slept.Implement(func(ctx turnstile.Context, d time.Duration) (string, error) { return "slept", turnstile.Sleep(ctx, d) }),
		waits.Implement(func(ctx turnstile.Context, _ int) (int, error) { return proceed.Wait(ctx) }),
		hang.Implement(implementation),
		hangs.Implement(func(ctx turnstile.Context, n int) (int, error) { return hang.Call(ctx, n) }),
	)
}

// runtimeOn runs a runtime on a database until stop is called, or the
// test ends.
func runtimeOn(t *testing.T, db *sqlite.DB, app *turnstile.App, opts ...embedded.Option) (env *embedded.Runtime, stop func()) {
	t.Helper()
	env, err := embedded.New(app, append(opts, embedded.WithDatabase(db), embedded.WithShutdownTimeout(0))...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return env, stop
}

func begin[In, Out any](t *testing.T, env *embedded.Runtime, o turnstile.Orchestration[In, Out], in In, id string) {
	t.Helper()
	if _, err := client.Start(t.Context(), env.Client(), o, in, client.WithInstanceID(id)); err != nil {
		t.Fatal(err)
	}
}

func wantResult[In any, Out comparable](t *testing.T, env *embedded.Runtime, o turnstile.Orchestration[In, Out], id string, want Out) {
	t.Helper()
	if got, err := client.Attach(env.Client(), o, id).Wait(t.Context()); got != want || err != nil {
		t.Errorf("%s: %v, %v; want %v", id, got, err, want)
	}
}

// ends waits until its context does.
func ends(ctx context.Context, _ int) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// The next process has all that the one before had: an attempt under way, a
// timer, an instance that waits, a dead letter.
func TestTheNextProcessContinuesWhereThePreviousOneStopped(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(t *testing.T, dir string, disk *disk, db *sqlite.DB, stop func()) string{
		"after it was closed": func(t *testing.T, dir string, _ *disk, db *sqlite.DB, stop func()) string {
			stop()
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"after it was killed": func(t *testing.T, _ string, disk *disk, _ *sqlite.DB, _ func()) string { return disk.kill(t) },
		"after an end without a goodbye": func(t *testing.T, _ string, disk *disk, db *sqlite.DB, stop func()) string {
			// Handlers have ended, and the database is not closed.
			stop()
			return disk.kill(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir, disk := t.TempDir(), newDisk(t)
				db := openIn(t, dir, sqlite.VFS(disk.name))
				begun := make(chan struct{})
				env, stop := runtimeOn(t, db, application(func(ctx context.Context, n int) (int, error) {
					close(begun)
					return ends(ctx, n)
				}))
				begin(t, env, slept, time.Hour, "sleeps")
				begin(t, env, slept, 20*time.Minute, "sleeps less")
				begin(t, env, waits, 0, "waits")
				begin(t, env, hangs, 7, "hangs")
				begin(t, env, chain, 3, "done")
				wantResult(t, env, chain, "done", 3)
				<-begun
				if err := env.Send(t.Context(), "no work item"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				time.Sleep(time.Second)
				dir = next(t, dir, disk, db, stop)
				time.Sleep(30 * time.Minute)

				before := time.Now()
				env, _ = runtimeOn(t, openIn(t, dir), application(func(_ context.Context, n int) (int, error) { return 2 * n, nil }))
				wantResult(t, env, slept, "sleeps less", "slept")
				wantResult(t, env, hangs, "hangs", 14)
				if took := time.Since(before); took > time.Second {
					t.Errorf("what was due, or in flight, came back after %s", took)
				}
				if n := env.DeadLetters(); n != 1 {
					t.Errorf("%d dead letters, want 1", n)
				}
				wantResult(t, env, slept, "sleeps", "slept")
				if err := client.Raise(t.Context(), env.Client(), proceed, "waits", 5); err != nil {
					t.Fatal(err)
				}
				if err := env.Drain(t.Context()); err != nil {
					t.Fatal(err)
				}
				wantResult(t, env, waits, "waits", 5)
				counts, _, err := env.Store().(store.StatusCounter).CountByStatus(t.Context(), store.ListQuery{}, 1)
				if err != nil || len(counts) != 1 || counts[store.StatusCompleted] != 5 {
					t.Errorf("counts %v, %v; want 5 completed", counts, err)
				}
			})
		})
	}
}

// What the first version has made goes on under every later one:
// testdata/version-1.sql is what a runtime has left. Since the first release it does not change;
// before it, the tokens in its messages did.
func TestADatabaseOfTheFirstVersionContinues(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/version-1.sql")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { // Where it is the year 2000, as it was then.
		dir := t.TempDir()
		withSQL(t, filepath.Join(dir, sqlite.FileName), string(content))
		env, _ := runtimeOn(t, openIn(t, dir, sqlite.IndexWords(0, 1000)), application(func(_ context.Context, n int) (int, error) { return 2 * n, nil }))
		wantResult(t, env, chain, "order-1", 2)
		wantResult(t, env, slept, "order-4", "slept")
		wantResult(t, env, hangs, "order-5", 16)
		if d, err := env.Client().Describe(t.Context(), "order-3"); err != nil || d.Status != client.StatusCancelled {
			t.Errorf("order-3 is %v, %v", d.Status, err)
		}
		if err := client.Raise(t.Context(), env.Client(), proceed, "order-2", 5); err != nil {
			t.Fatal(err)
		}
		wantResult(t, env, waits, "order-2", 5)
		if n := env.DeadLetters(); n != 1 {
			t.Errorf("%d dead letters, want 1", n)
		}
		if found, err := env.Client().List(t.Context(), client.ListQuery{Words: "cancelled"}); err != nil || len(found.Instances) != 1 || found.Instances[0].Instance != "order-3" {
			t.Errorf("a search by words finds %v, %v; want order-3", found.Instances, err)
		}
		if events, err := env.Client().History(t.Context(), "order-1", 0); err != nil || len(events) != 6 {
			t.Errorf("order-1 has %d events, %v; want 6", len(events), err)
		}
	})
}

// A timer is due to the millisecond: what rounds is SQS.
func TestATimerIsExactToTheMillisecond(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{time.Millisecond, 1234 * time.Millisecond, 14*time.Minute + time.Millisecond, 20*time.Minute + 7*time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			env, _ := runtimeOn(t, open(t), application(ends))
			startedAt := time.Now()
			begin(t, env, slept, d, "sleeps")
			wantResult(t, env, slept, "sleeps", "slept")
			// Beside it nothing waits but a send, for a commit that takes it along, and a
			// message for others of its batch.
			if late := time.Since(startedAt) - d; late < 0 || late > 100*time.Millisecond {
				t.Errorf("a sleep of %s took %s longer", d, late)
			}
		})
	}
}

// An instance that has been stuck for long has its next try far ahead. A process
// that begins may have other code, so it does not wait for that moment.
func TestTheNextProcessTriesAtOnceWhatIsStuck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		db := openIn(t, dir)
		broken := turnstile.NewApp(chain.Implement(func(turnstile.Context, int) (int, error) { panic("a mistake") }))
		env, stop := runtimeOn(t, db, broken)
		begin(t, env, chain, 3, "order")
		var d client.Description
		for d.Problem == nil || d.Problem.Tries < 5 {
			time.Sleep(time.Minute)
			var err error
			if d, err = env.Client().Describe(t.Context(), "order"); err != nil {
				t.Fatal(err)
			}
		}
		stop()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}

		next := openIn(t, dir)
		startedAt := time.Now()
		env, stop = runtimeOn(t, next, application(ends))
		wantResult(t, env, chain, "order", 3)
		if waited := time.Since(startedAt); waited > time.Second {
			t.Errorf("the mended process tried the instance after %v", waited)
		}
		stop()
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestADatabaseIsForOneRuntimeAtATime(t *testing.T) {
	t.Parallel()
	db := open(t)
	env, stop := runtimeOn(t, db, application(ends))
	begin(t, env, waits, 0, "waits")
	if _, err := embedded.New(application(ends), embedded.WithDatabase(db)); err == nil || !strings.Contains(err.Error(), db.Path()) {
		t.Errorf("a second runtime: %v; want an error with the file", err)
	}
	stop()
	env, _ = runtimeOn(t, db, application(ends))
	if err := client.Raise(t.Context(), env.Client(), proceed, "waits", 5); err != nil {
		t.Fatal(err)
	}
	wantResult(t, env, waits, "waits", 5)
}

// A chain of n is n+1 turns, and a fan-out of a hundred is turns of ten results: that
// is how often the disk is waited for, whatever is sent and deleted between. The
// start goes with its first turn, unless the scheduler lets nobody run for so long
// that it goes alone; so the least of three runs counts.
func TestTheDiskIsWaitedForOncePerTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := newDisk(t)
		db := open(t, sqlite.VFS(disk.name))
		env, _ := runtimeOn(t, db, application(ends))
		begin(t, env, chain, 1, "first") // Makes the key of the completion tokens.
		wantResult(t, env, chain, "first", 1)
		run := func(of turnstile.Orchestration[int, int], n int, id string) (transactions, syncs int) {
			synctest.Wait() // Until all of the run before is done, and not its result alone.
			_, before := db.Transactions()
			synced := disk.synced()
			begin(t, env, of, n, id)
			wantResult(t, env, of, id, n)
			synctest.Wait()
			_, after := db.Transactions()
			return after - before, disk.synced() - synced
		}
		for _, c := range []struct {
			of   turnstile.Orchestration[int, int]
			n    int
			most int
		}{{chain, 10, 11}, {fanOut, 100, 102}} {
			transactions, syncs := math.MaxInt, math.MaxInt
			for k := range 3 {
				t1, s1 := run(c.of, c.n, fmt.Sprintf("%s of %d, run %d", c.of.Name(), c.n, k))
				transactions, syncs = min(transactions, t1), min(syncs, s1)
			}
			if transactions > c.most || syncs > c.most {
				t.Errorf("%s of %d waited for the disk %d times, by %d transactions; want %d at most", c.of.Name(), c.n, syncs, transactions, c.most)
			}
			t.Logf("%s of %d: %d transactions, %d synchronized", c.of.Name(), c.n, transactions, syncs)
		}
	})
}

// With Normal nobody waits for the disk, but where the log is put into the file.
func TestWithNormalTheDiskIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := newDisk(t)
		db := open(t, sqlite.VFS(disk.name), sqlite.WithDurability(sqlite.Normal))
		env, _ := runtimeOn(t, db, application(ends))
		syncs := disk.synced()
		begin(t, env, chain, 10, "chain")
		wantResult(t, env, chain, "chain", 10)
		if disk.synced() != syncs {
			t.Errorf("the disk was waited for %d times", disk.synced()-syncs)
		}
	})
}

func TestAFullDiskLosesNothingAndItContinues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := newDisk(t)
		db := open(t, sqlite.VFS(disk.name))
		env, _ := runtimeOn(t, db, application(func(_ context.Context, n int) (int, error) {
			time.Sleep(time.Minute)
			return n, nil
		}))
		begin(t, env, hangs, 7, "under way")
		begin(t, env, waits, 0, "waits")
		time.Sleep(time.Second)
		var refused atomic.Int64
		disk.failing(func(operation, file string, _ int64) error {
			if operation == "write" {
				refused.Add(1)
				return outOfSpace(file)
			}
			return nil
		})
		err := client.Raise(t.Context(), env.Client(), proceed, "waits", 5)
		if !errors.Is(err, sqlite.ErrFull) || !errors.Is(err, store.ErrUnknownOutcome) || !strings.Contains(err.Error(), db.Path()) {
			t.Errorf("an event raised: %v; want ErrFull with the file, and an unknown outcome", err)
		}
		if _, err := client.Start(t.Context(), env.Client(), chain, 1); !errors.Is(err, sqlite.ErrFull) || errors.Is(err, store.ErrUnknownOutcome) {
			t.Errorf("a start: %v; want ErrFull, and nothing done", err)
		}
		// What is there can be read.
		if d, err := env.Client().Describe(t.Context(), "waits"); err != nil || d.Status != client.StatusRunning {
			t.Errorf("Describe: %v, %v", d.Status, err)
		}
		time.Sleep(10 * time.Minute)
		if n := refused.Load(); n < 10 {
			t.Errorf("the disk was asked %d times in ten minutes", n)
		}
		disk.failing(nil)
		wantResult(t, env, hangs, "under way", 7)
		// The event was taken before the disk was known to be full.
		wantResult(t, env, waits, "waits", 5)
		begin(t, env, chain, 3, "after")
		wantResult(t, env, chain, "after", 3)
		if err := env.Drain(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A write that brings no note with it fails, and no other write comes: the database finds out by
// itself that there is space again.
func TestSpaceIsNoticedWithoutAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		disk := newDisk(t)
		db := open(t, sqlite.VFS(disk.name))
		env, _ := runtimeOn(t, db, application(func(_ context.Context, n int) (int, error) { return n, nil }))
		begin(t, env, waits, 0, "waits")
		time.Sleep(time.Minute)
		disk.failing(func(operation, file string, _ int64) error {
			if operation == "write" {
				return outOfSpace(file)
			}
			return nil
		})
		claim := store.Claim{Attempt: 1, Token: "t", Until: time.Now().Add(time.Minute)}
		if err := db.Activities().Claim(t.Context(), store.ActivityKey{Instance: "other", ExecutionID: 1, EventID: 2}, claim, claim.Until); !errors.Is(err, sqlite.ErrFull) {
			t.Fatalf("a claim: %v; want ErrFull", err)
		}
		time.Sleep(time.Minute)
		if _, err := client.Start(t.Context(), env.Client(), chain, 1); !errors.Is(err, sqlite.ErrFull) {
			t.Errorf("a start on a full disk: %v; want ErrFull", err)
		}
		disk.failing(nil)
		time.Sleep(time.Second)
		begin(t, env, chain, 3, "after")
		wantResult(t, env, chain, "after", 3)
		if err := client.Raise(t.Context(), env.Client(), proceed, "waits", 5); err != nil {
			t.Fatal(err)
		}
		wantResult(t, env, waits, "waits", 5)
	})
}

func TestNothingIsWrittenAfterAFailedSync(t *testing.T) {
	t.Parallel()
	disk := newDisk(t)
	dir := t.TempDir()
	db, err := sqlite.Open(dir, sqlite.VFS(disk.name))
	if err != nil {
		t.Fatal(err)
	}
	turn := func(n int64) store.Commit { return store.Commit{Turns: []store.Turn{aTurn("i", n)}} }
	if err := db.Store().Commit(t.Context(), turn(1)); err != nil {
		t.Fatal(err)
	}
	disk.failing(func(operation, _ string, _ int64) error {
		if operation == "sync" {
			return sqlite3.IOERR_FSYNC
		}
		return nil
	})
	if err := db.Store().Commit(t.Context(), turn(2)); !errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("a commit that could not be synchronized: %v; want ErrUnknownOutcome", err)
	}
	disk.failing(nil)
	if err := db.Store().Commit(t.Context(), turn(2)); err == nil || errors.Is(err, store.ErrUnknownOutcome) || !strings.Contains(err.Error(), "opened again") || !strings.Contains(err.Error(), db.Path()) {
		t.Errorf("the next commit: %v; want that nothing is written any more", err)
	}
	if err := db.Close(); err == nil {
		t.Error("it was closed as if all was well")
	}
	again := openIn(t, dir)
	if err := again.Store().Commit(t.Context(), turn(2)); err != nil {
		t.Errorf("opened again: %v", err)
	}
}
