package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes the database in a directory, if it exists, and no other file: all instances are lost.
// Error: *LockedError if a process has the database open.
func Remove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, FileName)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	locked, err := lock(file, false)
	if err != nil {
		return err
	}
	remove := func(name string) error {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unwritable(file, err)
		}
		return nil
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		real = file
	}
	// The log is deleted first: without its database it would be taken for the log of the next one.
	// Windows does not delete open files.
	err = errors.Join(remove(real+"-wal"), remove(real+"-shm"), locked.unlockDatabase(), remove(real))
	if real != file {
		err = errors.Join(err, remove(file))
	}
	return errors.Join(err, locked.unlock())
}
