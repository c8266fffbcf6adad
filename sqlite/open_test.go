package sqlite_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/sqlite"
	"github.com/turnstile-go/turnstile/store"
)

// files are the files of a directory, but for the lock.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".lock") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(content)
	}
	return all
}

// withSQL makes a database file by statements.
func withSQL(t *testing.T, name, sql string) {
	t.Helper()
	c, err := sqlite3.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Exec(sql), c.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNoDatabaseOfOursIsRefusedAndLeftAsItIs(t *testing.T) {
	t.Parallel()
	ours := func(t *testing.T, name string) {
		db, err := sqlite.Open(filepath.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		make func(t *testing.T, name string)
		is   error
		says string
	}{
		"text":         {func(t *testing.T, name string) { write(t, name, strings.Repeat("no database\n", 100)) }, sqlite.ErrNotADatabase, "not a SQLite database"},
		"a short text": {func(t *testing.T, name string) { write(t, name, "x") }, sqlite.ErrNotADatabase, "not a SQLite database"},
		"another's":    {func(t *testing.T, name string) { withSQL(t, name, "CREATE TABLE t (a)") }, sqlite.ErrNotADatabase, "another program"},
		"a newer build's": {func(t *testing.T, name string) {
			ours(t, name)
			withSQL(t, "file:"+filepath.ToSlash(name)+"?vfs=turnstile", "PRAGMA user_version = 99; PRAGMA journal_mode = DELETE")
		}, nil, "schema version 99"},
		"with a header and no more": {func(t *testing.T, name string) {
			ours(t, name)
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			write(t, name, string(content[:200])+strings.Repeat("\x55", 10000))
		}, sqlite.ErrDamaged, ".recover"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, sqlite.FileName)
			c.make(t, file)
			before := files(t, dir)
			db, err := sqlite.Open(dir)
			if err == nil {
				t.Fatal("it was opened", db.Close())
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), file) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v; want %q, and the file", err, c.says)
			}
			var newer *sqlite.NewerError
			if errors.As(err, &newer) != (c.is == nil) || newer != nil && (newer.Version != 99 || newer.Known < 1 || newer.File != file) {
				t.Errorf("%#v", newer)
			}
			after := files(t, dir)
			if after[sqlite.FileName] != before[sqlite.FileName] {
				t.Error("the file was changed")
			}
			if len(after) != len(before) {
				t.Errorf("beside the file there are %d others, were %d", len(after)-1, len(before)-1)
			}
		})
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLaterDamageIsReportedAndNotOverwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sqlite.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(200) {
		if err := db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn(fmt.Sprintf("i-%d", i), 1)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, sqlite.FileName)
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	// The schema, on the first page and those it leads to, stays.
	for at := 4096; at < len(content); at += 4096 {
		if c := content[at]; c == 2 || c == 5 || c == 10 || c == 13 {
			copy(content[at+1:at+100], bytes.Repeat([]byte{0x55}, 99))
		}
	}
	write(t, name, string(content))
	db, err = sqlite.Open(dir)
	if err == nil {
		_, err = db.Store().Read(t.Context(), "i-7", 1, 1)
		if !errors.Is(err, sqlite.ErrDamaged) || !strings.Contains(err.Error(), name) {
			t.Errorf("Read: %v; want ErrDamaged with the file", err)
		}
		err = db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn("i-7", 2)}})
		if cerr := db.Close(); cerr == nil {
			t.Error("closed as if all was well")
		}
	}
	if !errors.Is(err, sqlite.ErrDamaged) || !strings.Contains(err.Error(), name) {
		t.Errorf("%v; want ErrDamaged with the file", err)
	}
}

func TestItIsForThisUserAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("NOT RUN: there are no permission bits on Windows")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	db := openIn(t, dir)
	if err := db.Store().Commit(t.Context(), store.Commit{Turns: []store.Turn{aTurn("i", 1)}}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, sqlite.FileName: 0o600, sqlite.FileName + "-wal": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%q has mode %o, want %o", name, info.Mode().Perm(), want)
		}
	}
}

func TestAnInvalidDirectoryIsReported(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, "x")
	if _, err := sqlite.Open(name); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("%v; want an error with the path", err)
	}
}

// other runs this test binary as another process that makes of TURNSTILE_SQLITE
// what TestMain does with it.
func other(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "TURNSTILE_SQLITE="+what, "TURNSTILE_SQLITE_DIR="+dir)
	return cmd
}

// holds opens the database, says so, and holds it until it is killed.
func holds(dir string) error {
	db, err := sqlite.Open(dir)
	if err != nil {
		return err
	}
	fmt.Println("opened", db.Path())
	select {}
}

// holding starts a process that has the database in a directory.
func holding(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	holder := other(t, "hold", dir)
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "opened") {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	return holder
}

func TestTheErrorOfASecondProcessNamesTheProcessThatHasTheDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	holder := holding(t, dir)
	_, err := sqlite.Open(dir)
	var locked *sqlite.LockedError
	if !errors.As(err, &locked) || locked.PID != holder.Process.Pid || locked.File != filepath.Join(dir, sqlite.FileName) ||
		!strings.Contains(err.Error(), fmt.Sprint("process ", holder.Process.Pid)) || !strings.Contains(err.Error(), locked.File) {
		t.Errorf("%v; want a LockedError of process %d", err, holder.Process.Pid)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait() // It was killed.
	// Nothing stale is in the way.
	db := openIn(t, dir)
	if _, err := sqlite.Open(dir); !errors.As(err, &locked) || locked.PID != os.Getpid() || !strings.Contains(err.Error(), "this process") {
		t.Errorf("a second time in one process: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openIn(t, dir)
}

func TestAReadOnlyDirectoryIsReported(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("NOT RUN: there are no permission bits on Windows")
	}
	// Somebody who may do everything needs another process to be somebody else.
	dir, err := os.MkdirTemp("", "read-only")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		err = readOnly(dir)
	} else {
		cmd := other(t, "read-only", dir)
		nobody(t, cmd)
		out, runErr := cmd.CombinedOutput()
		if runErr != nil {
			t.Fatalf("%v: %s", runErr, out)
		}
		err = errors.New(string(out))
	}
	if !strings.Contains(err.Error(), "cannot be written") || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("%v; want that the file cannot be written, and why", err)
	}
}

func readOnly(dir string) error {
	db, err := sqlite.Open(dir)
	if err == nil {
		return errors.Join(errors.New("it was opened"), db.Close())
	}
	return err
}
