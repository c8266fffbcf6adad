package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// A database has one process, by whatever name that one and the others come to it.
func TestADatabaseIsLockedUnderEachOfItsNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// link makes the other directory of a database that stands in dir.
		link func(dir, other string) error
		// told is whether who comes second is told who has it.
		told bool
	}{
		"a link to the directory": {func(dir, other string) error { return errors.Join(os.Remove(other), os.Symlink(dir, other)) }, true},
		"a link to the file": {func(dir, other string) error {
			return os.Symlink(filepath.Join(dir, sqlite.FileName), filepath.Join(other, sqlite.FileName))
		}, true},
		"a hard link": {func(dir, other string) error {
			return os.Link(filepath.Join(dir, sqlite.FileName), filepath.Join(other, sqlite.FileName))
		}, false},
	} {
		for _, turned := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", turned"}[turned], func(t *testing.T) {
				t.Parallel()
				has, comes := t.TempDir(), t.TempDir()
				if err := openIn(t, has).Close(); err != nil {
					t.Fatal(err)
				}
				if err := c.link(has, comes); err != nil {
					t.Skipf("NOT RUN: no links here: %v", err)
				}
				if turned {
					has, comes = comes, has
				}
				holder := holding(t, has)
				_, err := sqlite.Open(comes)
				locked, ok := errors.AsType[*sqlite.LockedError](err)
				if !ok || locked.File != filepath.Join(comes, sqlite.FileName) || c.told && locked.PID != holder.Process.Pid {
					t.Fatalf("%v; want a LockedError of process %d", err, holder.Process.Pid)
				}
				if err := sqlite.Remove(comes); !errors.As(err, &locked) {
					t.Errorf("removed: %v; want a LockedError", err)
				}
				if err := holder.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = holder.Wait() // It was killed.
				db := openIn(t, comes)
				if err := db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn("i", 1)}}); err != nil {
					t.Error(err)
				}
				// Within one process too.
				if _, err := sqlite.Open(has); !errors.As(err, &locked) {
					t.Errorf("a second time in one process: %v; want a LockedError", err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				if err := sqlite.Remove(comes); err != nil {
					t.Error(err)
				}
				if _, err := os.Lstat(filepath.Join(comes, sqlite.FileName)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("removed, and there: %v", err)
				}
				if _, err := os.Stat(filepath.Join(has, sqlite.FileName)); errors.Is(err, fs.ErrNotExist) != c.told {
					t.Errorf("the database under its other name: %v", err)
				}
			})
		}
	}
}
