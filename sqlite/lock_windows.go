package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedByte is the byte of a file that is locked. It is far beyond the content and the bytes that
// SQLite locks, because no other process can read or write a locked byte.
var lockedByte = windows.Overlapped{OffsetHigh: 1 << 28}

// lockFile locks an open file until it is closed or the process ends.
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

// lockDatabase is lockFile, because a lock belongs to the file, whatever name it was opened by.
func lockDatabase(f *os.File) error { return lockFile(f) }

func unlockDatabase(f *os.File) error { return unlockFile(f) }
