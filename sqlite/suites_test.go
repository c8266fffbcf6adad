package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/queue"
	memoryqueue "github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/queue/queuetest"
	"github.com/turnstile-go/turnstile/internal/store/storetest"
	"github.com/turnstile-go/turnstile/internal/timer"
	memorytimer "github.com/turnstile-go/turnstile/internal/timer/memory"
	"github.com/turnstile-go/turnstile/internal/timer/timertest"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// TestMain runs the tests; in another process that one of them has started,
// what that one wants.
func TestMain(m *testing.M) {
	dir := os.Getenv("TURNSTILE_SQLITE_DIR")
	var err error
	switch os.Getenv("TURNSTILE_SQLITE") {
	case "":
		goleak.VerifyTestMain(m)
		return
	case "hold":
		err = holds(dir)
	case "purge":
		err = purges(dir)
	case "serve":
		err = serve(dir)
	case "mount":
		err = mountSmallDisk(dir)
	case "full":
		err = fillDisk(dir)
	case "read-only":
		fmt.Println(readOnly(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// open opens a database in a directory of its own until the test ends.
func open(t testing.TB, opts ...sqlite.Option) *sqlite.DB {
	t.Helper()
	return openIn(t, t.TempDir(), opts...)
}

func openIn(t testing.TB, dir string, opts ...sqlite.Option) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(dir, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestStore(t *testing.T) {
	t.Parallel()
	for name, seen := range map[string]func(t *testing.T) store.Store{
		"as it remembers":  func(t *testing.T) store.Store { return open(t).Store() },
		"as it is read":    func(t *testing.T) store.Store { return sqlite.Uncached(open(t).Store()) },
		"as it is half so": func(t *testing.T) store.Store { return open(t, sqlite.IndexWords(5, 4)).Store() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, storetest.Options{
				Open:        seen,
				Reopen:      func(_ *testing.T, s store.Store) store.Store { return s },
				LoseAnswers: storetest.LoseAnswers,
				Throttle:    storetest.Throttle,
			})
		})
	}
}

func TestActivities(t *testing.T) {
	t.Parallel()
	storetest.RunActivities(t, func(t *testing.T) store.Activities { return open(t).Activities() }, time.Now)
}

func TestQueue(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, queuetest.Harness{
		Within:      synctest.Test,
		VirtualTime: true,
		Open: func(t *testing.T, s queuetest.Spec) (queue.Queue, queue.Queue) {
			db := open(t)
			opts := memoryqueue.Options{Name: "queue", FIFO: s.FIFO, Visibility: s.Visibility, MaxReceiveCount: s.MaxReceive, Journal: db.Queue("queue")}
			if s.MaxReceive > 0 {
				opts.DeadLetter = openQueue(t, memoryqueue.Options{Name: "dead", FIFO: s.FIFO, Journal: db.Queue("dead")})
			}
			return openQueue(t, opts), opts.DeadLetter
		},
	})
}

func openQueue(t *testing.T, opts memoryqueue.Options) *memoryqueue.Queue {
	t.Helper()
	q, err := memoryqueue.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func TestTimer(t *testing.T) {
	t.Parallel()
	timertest.Run(t, timertest.Harness{
		Within: synctest.Test,
		Soon:   3 * time.Minute,
		Open: func(t *testing.T) timertest.Opened {
			delivered := make(chan timer.Schedule, 1000)
			tm, err := memorytimer.New(memorytimer.Options{Journal: open(t).Timer(), Deliver: func(_ context.Context, s timer.Schedule) error {
				delivered <- s
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(tm.Close)
			return timertest.Opened{Timer: tm, Next: func(wait time.Duration) (body, group string, ok bool) {
				select {
				case s := <-delivered:
					return s.Body, s.Group, true
				case <-time.After(max(wait, 5*time.Minute)):
					return "", "", false
				}
			}}
		},
	})
}
