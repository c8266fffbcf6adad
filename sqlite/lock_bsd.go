//go:build unix && !linux && !darwin

package sqlite

import (
	"fmt"
	"os"
	"syscall"
)

// lockDatabase locks a database only if its file has one name. On this system no file lock can be
// combined with those of SQLite, so only the file next to the database is locked.
func lockDatabase(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 {
		return fmt.Errorf("it has %d hard links, through which several processes could open it: remove all but one", s.Nlink)
	}
	return nil
}

func unlockDatabase(*os.File) error { return nil }
