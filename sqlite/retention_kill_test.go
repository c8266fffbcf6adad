package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// A process that archives and purges is killed many times in the middle, and each time
// whatever is purged is in the archive, whole. With TURNSTILE_RETENTION_KILLED=5001 it
// does so with as many instances.
func TestAProcessThatIsKilledWhilePurgingLosesNothing(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	// A page of a sweep has a hundred instances: a process that is killed after this many
	// lines has sent the purges of one page at most.
	const lines = 150
	many, kills := stage.Cases(1001, 1501), stage.Cases(6, 20)
	if n, err := strconv.Atoi(os.Getenv("TURNSTILE_RETENTION_KILLED")); err == nil {
		many = n
	}
	dir := t.TempDir()
	db, err := sqlite.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Acquire(); err != nil {
		t.Fatal(err)
	}
	endedBefore(t, db, many)
	if err := db.Release(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(28, 2))
	left, before := many, 0
	for round := 0; round <= kills; round++ {
		p := startPurging(t, dir)
		if round < kills {
			for range 1 + random.IntN(lines) {
				p.hear(t)
			}
		} else {
			for left > 1 { // The one that is not due stays.
				if strings.Contains(p.hear(t), `"msg":"purged"`) {
					left--
				}
			}
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for p.out.Scan() { // To its end, so that the process can be waited for.
		}
		_ = p.cmd.Wait() // It was killed.
		left = purgedAreArchived(t, dir, many)
		if round < kills && left < many && left > 1 {
			before++
		}
		if round < kills && left < 2*lines {
			t.Fatalf("%d instances are left after %d kills: too few to kill it in the middle again", left, round+1)
		}
	}
	t.Logf("%d instances, %d of %d kills between the first purge and the last", many, before, kills)
	if left != 1 || before < kills/2 {
		t.Errorf("%d instances are left, want the one that is not due; %d kills were in the middle, want most of %d", left, before, kills)
	}
}

// purgedAreArchived checks that each instance that is not listed any more has its history in
// the archive, and returns how many are listed.
func purgedAreArchived(t *testing.T, dir string, many int) int {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	listed := map[string]bool{}
	for q := (store.ListQuery{PageSize: 200}); ; {
		page, err := db.Store().List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Records {
			listed[r.Instance] = true
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			break
		}
	}
	for i := range many {
		id := fmt.Sprint("i-", i)
		if listed[id] {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, "archive", id, "1.json"))
		if err != nil {
			t.Fatalf("%s is purged ahead of its archive: %v", id, err)
		}
		if x, err := history.DecodeExport(data); err != nil || x.Instance != id || len(x.Events) != 2 {
			t.Fatalf("%s is archived as %s: %v", id, data, err)
		}
	}
	return len(listed)
}

// purging is a process that archives and purges.
type purging struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func startPurging(t *testing.T, dir string) *purging {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TURNSTILE_SQLITE=purge", "TURNSTILE_SQLITE_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &purging{cmd, bufio.NewScanner(out)}
}

// hear returns what it says next: that the archive has taken an execution, or a line of its
// log.
func (p *purging) hear(t *testing.T) string {
	t.Helper()
	if !p.out.Scan() {
		t.Fatalf("the process ends by itself: %v", p.out.Err())
	}
	return p.out.Text()
}

// purges is that process.
func purges(dir string) error {
	db, err := sqlite.Open(filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	defer db.Close()
	archive, err := embedded.ArchiveFolder(filepath.Join(dir, "archive"))
	if err != nil {
		return err
	}
	r, err := embedded.New(keptForHours(), embedded.WithDatabase(db), embedded.WithArchive(reportingArchive{archive}),
		embedded.WithLogger(slog.New(slog.NewJSONHandler(os.Stdout, nil))))
	if err != nil {
		return err
	}
	return r.Run(context.Background())
}

// reportingArchive says what it has taken.
type reportingArchive struct{ store.Archive }

func (a reportingArchive) Keep(ctx context.Context, instance string, executionID int64, document []byte) error {
	err := a.Archive.Keep(ctx, instance, executionID, document)
	fmt.Println("kept", instance, err)
	return err
}
