package sqlite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// LockedError says that another process has the database, or this one has it
// open already.
type LockedError struct {
	// File is the database.
	File string
	// PID of the process that has it; 0 where it could not be learned.
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
	return fmt.Sprintf("sqlite: %s is open in %s; only one may have it at a time: end that one, or use another directory", e.File, who)
}

// errLocked: somebody else has the lock.
var errLocked = errors.New("locked")

// lock takes the lock of a database: a file beside it that the system keeps
// locked as long as this process lives and has it open, and that says which
// process that is. It is never removed, for a process that waits to open it would
// lock what is no longer there.
func lock(name, database string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, unwritable(database, err)
	}
	switch err := lockFile(f); {
	case errors.Is(err, errLocked):
		text, _ := io.ReadAll(f)
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return nil, errors.Join(&LockedError{File: database, PID: pid}, f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("sqlite: %s can't be locked: %w", name, err), f.Close())
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	if err != nil {
		return nil, errors.Join(unwritable(database, err), f.Close())
	}
	return f, nil
}

// unlock gives the lock back. It is not left to the closing of the file: a child
// process that is being started at this moment, by whatever part of the program, has
// the file open too until it runs its own program, and would keep the lock.
func unlock(f *os.File) error {
	return errors.Join(unlockFile(f), f.Close())
}
