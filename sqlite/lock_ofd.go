//go:build linux || darwin

package sqlite

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockedByte is the byte of a database that is locked. It is beyond the maximum size of a database,
// and SQLite does not lock it.
const lockedByte = 1 << 60

// lockDatabase locks an open database file until it is closed or the process ends. The lock belongs to
// the open file. Other locks of this call belong to the process, and would end when SQLite first
// closes the file. flock is not used, because a network file system may turn it into a lock of all
// bytes, including those of SQLite.
func lockDatabase(f *os.File) error {
	err := setLock(f, unix.F_WRLCK)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return errLocked
	}
	return err
}

func unlockDatabase(f *os.File) error { return setLock(f, unix.F_UNLCK) }

func setLock(f *os.File, kind int16) error {
	for {
		lock := unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: lockedByte, Len: 1}
		if err := unix.FcntlFlock(f.Fd(), setOpenFileLock, &lock); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
