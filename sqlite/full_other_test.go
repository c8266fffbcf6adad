//go:build !linux

package sqlite_test

import (
	"errors"
	"os/exec"
	"testing"
)

func smallDisk(*exec.Cmd) {}

func mountSmallDisk(string) error { return errors.New("only on Linux") }

// mayMount skips a test where a file system may not be mounted.
func mayMount(t *testing.T) {
	t.Helper()
	t.Skip("NOT RUN: a small file system is mounted on Linux alone")
}
