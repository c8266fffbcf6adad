package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/turnstile-go/turnstile/internal/stage"
	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// outOfSpace is what the system says of a write on a disk that is full.
func outOfSpace(file string) error {
	return &fs.PathError{Op: "write", Path: file, Err: syscall.ENOSPC}
}

// A real file system that is full, at every page at which it may become so.
func TestAFullDiskIsReported(t *testing.T) {
	t.Parallel()
	mayMount(t)
	cmd := other(t, "full", t.TempDir())
	smallDisk(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// fillDisk opens and uses databases on a small disk which leaves them ever less
// space, and returns an error for whatever is not as ErrFull says.
func fillDisk(dir string) error {
	if err := mountSmallDisk(dir); err != nil {
		return err
	}
	var refused, opened, unopened int
	for pages := 0; pages < 60; pages += stage.Cases(3, 1) {
		if err := withPages(dir, pages, &refused, &opened, &unopened); err != nil {
			return fmt.Errorf("%d pages: %w", pages, err)
		}
	}
	fmt.Printf("%d databases were opened, %d not, %d commits refused\n", opened, unopened, refused)
	if refused == 0 || opened == 0 || unopened == 0 {
		return errors.New("want some of each")
	}
	return nil
}

// withPages leaves a new database so many pages of a disk, and then all of it.
func withPages(disk string, pages int, refused, opened, unopened *int) error {
	dir, ballast := filepath.Join(disk, "data"), filepath.Join(disk, "ballast")
	if err := fill(ballast, pages); err != nil {
		return err
	}
	ctx := context.Background()
	full := func(err error) error {
		switch {
		case !errors.Is(err, sqlite.ErrFull) || !strings.Contains(err.Error(), dir):
			return fmt.Errorf("%w; want ErrFull with the path", err)
		case errors.Is(err, store.ErrUnknownOutcome):
			return fmt.Errorf("%w; want to know the outcome", err)
		}
		return nil
	}
	db, err := sqlite.Open(dir)
	if err != nil {
		*unopened++
		if err := full(err); err != nil {
			return fmt.Errorf("opened: %w", err)
		}
		if err := os.Remove(ballast); err != nil {
			return err
		}
		if db, err = sqlite.Open(dir); err != nil {
			return fmt.Errorf("opened where there is space: %w", err)
		}
		if err := fill(ballast, pages); err != nil {
			return err
		}
	} else {
		*opened++
	}
	commit := func(n int64) error {
		turn := aTurn("i", n)
		turn.Events[0].Payload = []byte(`"` + strings.Repeat("x", 3000) + `"`)
		return db.Store().Commit(ctx, store.Commit{Turns: []store.Turn{turn}})
	}
	var n int64
	for err = nil; err == nil; {
		if err = commit(n + 1); err == nil {
			n++
		}
	}
	for range 3 {
		*refused++
		if err := full(err); err != nil {
			return fmt.Errorf("commit %d: %w", n+1, err)
		}
		if !errors.Is(err, store.ErrUnavailable) {
			return fmt.Errorf("commit %d: %w; want ErrUnavailable, for it passes", n+1, err)
		}
		if err = commit(n + 1); err == nil {
			return fmt.Errorf("commit %d found space", n+1)
		}
	}
	found := func() error {
		turns, err := db.Store().Read(ctx, "i", 1, 1)
		if err == nil && int64(len(turns)) != n {
			err = fmt.Errorf("%d turns are there, want %d", len(turns), n)
		}
		return err
	}
	if n > 0 {
		if err := found(); err != nil {
			return fmt.Errorf("read while it is full: %w", err)
		}
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	if err := commit(n + 1); err != nil {
		return fmt.Errorf("commit %d where there is space: %w", n+1, err)
	}
	n++
	if err := found(); err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if db, err = sqlite.Open(dir); err != nil {
		return err
	}
	return errors.Join(found(), db.Close(), os.RemoveAll(dir))
}

// fill writes a file that leaves so many pages of its disk.
func fill(name string, pages int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	page := make([]byte, 4096)
	written := 0
	for err = nil; err == nil; {
		if _, err = f.Write(page); err == nil {
			written++
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Truncate(int64(max(0, written-pages))*4096), f.Close())
}

// A process may die, and its disk be full, at every write of its opening.
func TestWhatWasOpenedInPartOpensTheNextTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	disk := newDisk(t)
	var killed []string
	disk.failing(func(operation, _ string, _ int64) error {
		if operation == "write" {
			snapshot := t.TempDir()
			for name, content := range files(t, dir) {
				write(t, filepath.Join(snapshot, name), content)
			}
			killed = append(killed, snapshot)
		}
		return nil
	})
	if err := openIn(t, dir, sqlite.VFS(disk.name)).Close(); err != nil {
		t.Fatal(err)
	}
	if len(killed) < 10 {
		t.Errorf("an opening has %d writes", len(killed))
	}
	works := func(what string, n int, dir string) {
		db, err := sqlite.Open(dir)
		if err != nil {
			t.Errorf("%s at write %d: %v", what, n, err)
			return
		}
		if err := errors.Join(db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn("i", 1)}}), db.Close()); err != nil {
			t.Errorf("%s at write %d: %v", what, n, err)
		}
	}
	for n := 0; n < len(killed); n += stage.Cases(3, 1) {
		works("killed", n, killed[n])

		dir, disk, left := t.TempDir(), newDisk(t), n
		disk.failing(func(operation, file string, _ int64) error {
			if operation != "write" {
				return nil
			}
			if left--; left >= 0 {
				return nil
			}
			return outOfSpace(file)
		})
		db, err := sqlite.Open(dir, sqlite.VFS(disk.name))
		if err == nil { // What comes last is no part of opening it.
			if err := db.Close(); !errors.Is(err, sqlite.ErrFull) {
				t.Errorf("closed with a disk that is full at write %d: %v; want ErrFull", n, err)
			}
		} else if !errors.Is(err, sqlite.ErrFull) || !strings.Contains(err.Error(), dir) {
			t.Errorf("opened with a disk that is full at write %d: %v; want ErrFull with the file", n, err)
		}
		works("full", n, dir)
	}
}
