package sqlite_test

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// smallDisk has a command run where a file system of its own can be mounted, which
// goes when the command ends.
func smallDisk(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
}

// mountSmallDisk mounts a disk of 1 MiB on a directory.
func mountSmallDisk(dir string) error {
	return errors.Join(
		syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""),
		syscall.Mount("small", dir, "tmpfs", 0, "size=1m"))
}

// mayMount skips a test where a file system may not be mounted.
func mayMount(t *testing.T) {
	t.Helper()
	cmd := other(t, "mount", t.TempDir())
	smallDisk(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: a small file system can't be mounted here (%v: %s)", err, out)
	}
}
