package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedByte is the byte of a file that is locked: far behind what stands in it, and
// behind what SQLite locks, for nobody else can read or write it.
var lockedByte = windows.Overlapped{OffsetHigh: 1 << 28}

// lockFile locks a file that is open, until it is closed or the process ends.
func lockFile(f *os.File) error {
	at := lockedByte
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errLocked
	}
	return err
}

func unlockFile(f *os.File) error {
	at := lockedByte
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}

// lockDatabase is lockFile: a lock is one of the file, by whatever name it was opened.
func lockDatabase(f *os.File) error { return lockFile(f) }

func unlockDatabase(f *os.File) error { return unlockFile(f) }
