//go:build unix && !linux && !darwin

package sqlite

import (
	"fmt"
	"os"
	"syscall"
)

// lockDatabase takes a database only if its file has one name, for here no lock of
// the file is left beside those of SQLite's: what is locked is the file beside it.
func lockDatabase(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink > 1 {
		return fmt.Errorf("it has %d names (hard links), by which several processes could open it: leave it one", s.Nlink)
	}
	return nil
}

func unlockDatabase(*os.File) error { return nil }
