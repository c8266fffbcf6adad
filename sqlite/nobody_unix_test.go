//go:build unix

package sqlite_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody has a command run as a user who may do nothing, from a copy that
// everybody may run.
func nobody(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	dir, err := os.MkdirTemp("", "everybody")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	from, err := os.Open(cmd.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	cmd.Path = filepath.Join(dir, "test")
	to, err := os.OpenFile(cmd.Path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close(), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}
