package sqlite_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/sqlite"
)

func TestABackupContinuesFromItsMoment(t *testing.T) {
	t.Parallel()
	db := open(t)
	env, _ := runtimeOn(t, db, application(ends))
	begin(t, env, waits, 0, "before")
	if err := client.Attach(env.Client(), waits, "before").WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := filepath.Join(dir, sqlite.FileName)
	if err := db.Backup(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	begin(t, env, waits, 0, "after")
	if err := db.Backup(t.Context(), name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another backup: %v; want fs.ErrExist", err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	cut := filepath.Join(dir, "cut")
	if err := db.Backup(ended, cut); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if _, err := os.Stat(cut); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a backup that failed has left its file (%v)", err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has mode %v, %v", info.Mode(), err)
	}

	restored, _ := runtimeOn(t, openIn(t, dir), application(ends))
	if err := client.Raise(t.Context(), restored.Client(), proceed, "before", 5); err != nil {
		t.Fatal(err)
	}
	wantResult(t, restored, waits, "before", 5)
	if _, err := restored.Client().Describe(t.Context(), "after"); !errors.Is(err, client.ErrNotFound) {
		t.Errorf("what was started after the backup: %v; want that it is not there", err)
	}
}
