//go:build linux || darwin

package sqlite

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// lockedByte is the byte of a database that is locked: behind all that a database
// can have, and not among those that SQLite locks.
const lockedByte = 1 << 60

// lockDatabase locks a database file that is open, until it is closed or the process
// ends. The lock belongs to what was opened, not to the process as other locks of
// this call do: those would end when SQLite closes the file a first time. flock is not used,
// because a network's file system may make of it a lock of all bytes, those of
// SQLite's among them.
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
