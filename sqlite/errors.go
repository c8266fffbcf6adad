package sqlite

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/store"
)

// Errors of a database, wrapped; for errors.Is.
var (
	// ErrClosed means that the database was closed.
	ErrClosed = errors.New("sqlite: the database is closed")
	// ErrFull means that the disk is full, or this user's quota is used up. The call has had no
	// effect (unless the error is also a store.ErrUnknownOutcome), nothing is lost, and work
	// continues by itself when there is space.
	ErrFull = errors.New("sqlite: the disk is full")
	// ErrNotADatabase means that the file is not a Turnstile database.
	ErrNotADatabase = errors.New("sqlite: not a Turnstile database")
	// ErrDamaged means that the file is damaged. Nothing more is written to it.
	ErrDamaged = errors.New("sqlite: the database is damaged")
)

// NewerError is returned if a newer build has created or changed the database. This build has not
// changed it.
type NewerError struct {
	// File is the database.
	File string
	// Version of its schema, and the highest version that this build knows.
	Version, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("sqlite: %s has schema version %d, made by a newer build; this build knows versions up to %d: use the newer build, or another directory", e.File, e.Version, e.Known)
}

// unavailable is a temporary problem, for the store and the journals.
type unavailable struct{ err error }

func (e unavailable) Error() string { return e.err.Error() }
func (e unavailable) Unwrap() error { return e.err }
func (e unavailable) Is(target error) bool {
	return target == store.ErrUnavailable || target == journal.ErrUnavailable
}

// explain translates an error of SQLite for the user of the file.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*NewerError)):
		return err
	case isFull(err):
		return unavailable{fmt.Errorf("%w: %s (%w): nothing is lost; free some space, and work continues", ErrFull, path, err)}
	case isDamage(err):
		return damaged(path, err)
	case errors.Is(err, sqlite3.READONLY), errors.Is(err, sqlite3.CANTOPEN), errors.Is(err, sqlite3.PERM):
		return unwritable(path, err)
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED):
		return unavailable{fmt.Errorf("sqlite: %s is locked by another program (%w): end that program", path, err)}
	case errors.Is(err, sqlite3.IOERR):
		return unavailable{fmt.Errorf("sqlite: %s cannot be read or written: %w", path, err)}
	}
	return fmt.Errorf("sqlite: %s: %w", path, err)
}

// isDamage reports whether an error means that the file is damaged. The caller has already checked
// that the file is a Turnstile database.
func isDamage(err error) bool {
	_, unreadable := errors.AsType[*unreadableError](err)
	return unreadable || errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB) || errors.Is(err, sqlite3.IOERR_DATA)
}

// damaged returns an ErrDamaged that says what to do with a damaged file.
func damaged(path string, err error) error {
	return fmt.Errorf("%w: %s (%w): stop the program, keep a copy of the file and the files next to it, and restore a backup, or the data that sqlite3's .recover command saves", ErrDamaged, path, err)
}

// unreadableError is the error for a row that Turnstile cannot have written.
type unreadableError struct {
	what string
	err  error
}

func (e *unreadableError) Error() string { return fmt.Sprintf("%s cannot be read: %v", e.what, e.err) }
func (e *unreadableError) Unwrap() error { return e.err }

// unwritable returns the error for a file or a directory that cannot be written.
func unwritable(path string, err error) error {
	if noSpace(err) {
		return unavailable{fmt.Errorf("%w: %s (%w): nothing is lost; free some space", ErrFull, path, err)}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sqlite: %s cannot be opened: %w", path, err)
	}
	return fmt.Errorf("sqlite: %s cannot be written: %w: let this user write the directory and the files in it, or use another directory", path, err)
}

// ends reports whether the database can no longer be used after an error, because it is damaged, or
// because the operating system could not write accepted data to the disk and may have discarded it.
func ends(err error) bool {
	return isDamage(err) || errors.Is(err, sqlite3.IOERR_FSYNC) || errors.Is(err, sqlite3.IOERR_DIR_FSYNC)
}

// environmental reports whether an error concerns the database and not a single statement.
func environmental(err error) bool {
	for _, code := range []sqlite3.ErrorCode{sqlite3.FULL, sqlite3.IOERR, sqlite3.CORRUPT, sqlite3.NOTADB, sqlite3.READONLY, sqlite3.CANTOPEN,
		sqlite3.PERM, sqlite3.BUSY, sqlite3.LOCKED, sqlite3.NOMEM, sqlite3.PROTOCOL} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// ofSQLite reports whether an error comes from SQLite.
func ofSQLite(err error) bool {
	var code sqlite3.ErrorCode
	return errors.As(err, &code)
}

// ofTheFile reports whether an error comes from the file or from SQLite, and is not a result of the
// operation.
func ofTheFile(err error) bool { return ofSQLite(err) || isDamage(err) }
