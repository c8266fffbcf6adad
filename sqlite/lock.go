package sqlite

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LockedError is returned if another process has the database open, or this process already has.
type LockedError struct {
	// File is the database.
	File string
	// PID of the process that has it open; 0 if it is not known, for example if that process opened it
	// through another hard link.
	PID int
}

func (e *LockedError) Error() string {
	who := "another process"
	switch {
	case e.PID == os.Getpid():
		who = fmt.Sprintf("this process (%d)", e.PID)
	case e.PID != 0:
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("sqlite: %s is open in %s; only one process may open it at a time: end that process, or use another directory", e.File, who)
}

// errLocked means that another process has the lock.
var errLocked = errors.New("locked")

// held has the files through which a process holds the lock of an open database.
type held struct {
	// sign is a file next to the database that contains the process id. It is locked too, so that
	// two processes do not both create a new database.
	sign *os.File
	// file is the database file; nil if there is none. Its lock decides, because it is the same for
	// every name of the file.
	file *os.File
}

// lock locks a database: the operating system keeps it locked as long as this process lives and has it
// open. If the file does not exist and makes is set, it is created, for this user only.
func lock(database string, makes bool) (_ *held, err error) {
	h := &held{}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.unlock())
		}
	}()
	name := signOf(database)
	if h.sign, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, unwritable(database, err)
	}
	switch err := lockFile(h.sign); {
	case errors.Is(err, errLocked):
		text, _ := io.ReadAll(h.sign)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return nil, &LockedError{File: database, PID: pid}
	case err != nil:
		return nil, fmt.Errorf("sqlite: %s cannot be locked: %w", name, err)
	}
	err = h.sign.Truncate(0)
	if err == nil {
		_, err = h.sign.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, unwritable(database, err)
	}
	flags := os.O_RDWR
	if makes {
		flags |= os.O_CREATE
	}
	for {
		h.file, err = os.OpenFile(database, flags, 0o600)
		if errors.Is(err, fs.ErrNotExist) && !makes {
			return h, nil
		}
		if err != nil {
			return nil, unwritable(database, err)
		}
		switch err := lockDatabase(h.file); {
		case errors.Is(err, errLocked):
			return nil, &LockedError{File: database}
		case err != nil:
			return nil, fmt.Errorf("sqlite: %s cannot be locked: %w", database, err)
		}
		if still, err := isStill(h.file, database); still || err != nil {
			return h, err
		}
		// Another process has removed the file in the meantime, by another name.
		if err := h.unlockDatabase(); err != nil {
			return nil, err
		}
	}
}

// signOf returns the name of the file with the process id: next to the file that the path leads to,
// so that all users of a symbolic link find the same file. The file with the process id is never
// removed, because a process that waits to open it would then lock a file that no longer exists.
func signOf(database string) string {
	if real, err := filepath.EvalSymlinks(database); err == nil {
		database = real
	}
	return filepath.Join(filepath.Dir(database), lockName)
}

// isStill reports whether a path leads to a file that is open.
func isStill(f *os.File, path string) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("sqlite: %w", err)
	}
	found, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(opened, found), err
}

// unlock unlocks the database. Closing the files is not enough: a child process that any part of the
// program is starting at this moment has them open too until it runs its own program, and would keep
// the lock.
func (h *held) unlock() error {
	err := h.unlockDatabase()
	if h.sign != nil {
		err = errors.Join(err, unlockFile(h.sign), h.sign.Close())
	}
	h.sign = nil
	return err
}

func (h *held) unlockDatabase() (err error) {
	if h.file != nil {
		err = errors.Join(unlockDatabase(h.file), h.file.Close())
	}
	h.file = nil
	return err
}
