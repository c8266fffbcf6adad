package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// Instances whose end an earlier process has seen are archived and purged by the next one.
// With TURNSTILE_RETENTION_INSTANCES=100000 it measures how long that takes.
func TestAProcessPurgesWhatHadEndedBeforeItStarted(t *testing.T) {
	many := 300
	if n, err := strconv.Atoi(os.Getenv("TURNSTILE_RETENTION_INSTANCES")); err == nil {
		many = n
	}
	dir := t.TempDir()
	db, err := sqlite.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Acquire(); err != nil {
		t.Fatal(err)
	}
	endedBefore(t, db, many)
	if err := db.Release(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "archive")
	archive, err := embedded.ArchiveFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := &countedArchive{Archive: archive, left: many - 1, all: make(chan struct{})}
	r, err := embedded.New(keptForHours(), embedded.WithDatabase(db), embedded.WithArchive(all))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error)
	startedAt := time.Now()
	go func() { over <- r.Run(ctx) }()
	<-all.all
	t.Logf("%d instances archived after %s", many-1, time.Since(startedAt))
	stop()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != many-1 {
		t.Errorf("%d instances in the archive, want %d: %v", len(files), many-1, err)
	}
}

// endedBefore writes instances that have ended so long ago that they are due, but for the
// first.
func endedBefore(t *testing.T, db *sqlite.DB, many int) {
	t.Helper()
	ended := time.Now().Add(-4 * time.Hour)
	for i := range many {
		id := fmt.Sprint("i-", i)
		end := ended
		if i == 0 {
			end = time.Now().Add(-time.Hour) // this one is not due
		}
		start := &history.Start{StartID: "s"}
		if err := db.Store().Commit(t.Context(), store.Commit{
			Turns: []store.Turn{{Instance: id, ExecutionID: 1, Token: "t", Events: []history.Event{
				{EventID: 1, Kind: history.OrchestrationStarted, AtMS: ended.UnixMilli(), Name: "Done", Payload: []byte("1"), Start: start},
				{EventID: 2, Kind: history.OrchestrationCompleted, AtMS: end.UnixMilli(), Payload: []byte("1")},
			}}},
			Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, UpdatedAt: end, Create: &store.Record{
				Instance: id, ExecutionID: 1, FirstExecution: 1, StartID: "s", Name: "Done", Status: store.StatusCompleted, CreatedAt: ended, UpdatedAt: end, EndedAt: end, Output: []byte("1")}},
		}); err != nil {
			t.Fatal(err)
		}
	}
}

func keptForHours() *turnstile.App {
	done := turnstile.NewOrchestration[int, int]("Done")
	return turnstile.NewApp(done.With(turnstile.Retention(3 * time.Hour)).Implement(func(_ turnstile.Context, n int) (int, error) { return n, nil }))
}

// countedArchive tells when it has taken so many.
type countedArchive struct {
	store.Archive
	mu   sync.Mutex
	left int
	all  chan struct{}
}

func (a *countedArchive) Keep(ctx context.Context, instance string, executionID int64, document []byte) error {
	err := a.Archive.Keep(ctx, instance, executionID, document)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.left--; err == nil && a.left == 0 {
		close(a.all)
	}
	return err
}
