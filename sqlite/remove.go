package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes the database in a directory, if there is one, and nothing else:
// all instances are gone for good. *LockedError if a process has it open.
func Remove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, FileName)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	locked, err := lock(filepath.Join(dir, lockName), file)
	if err != nil {
		return err
	}
	var errs []error
	// The log goes first: without its database it would be taken for that of the
	// next one.
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, unwritable(file, err))
		}
	}
	return errors.Join(append(errs, unlock(locked))...)
}
