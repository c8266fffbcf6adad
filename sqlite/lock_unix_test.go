//go:build unix

package sqlite

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Between its fork and its exec a child process has all files of its parent.
func TestADatabaseThatIsClosedCanBeOpenedWhileAChildProcessIsBeingStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{first.locked.sign, first.locked.file} {
		childs, err := unix.Dup(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Close(childs) }()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.As(err, new(*LockedError)) {
		t.Errorf("opened twice: %v; want a LockedError", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
