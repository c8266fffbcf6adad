package sqlite

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/store"
)

// Errors of a database, wrapped; test with errors.Is.
var (
	// ErrClosed: the database has been closed.
	ErrClosed = errors.New("sqlite: the database is closed")
	// ErrFull: the disk is full, or this user may have no more of it. Nothing of
	// what was asked for has been done (unless it is store.ErrUnknownOutcome too),
	// nothing is lost, and it goes on by itself when there is space.
	ErrFull = errors.New("sqlite: the disk is full")
	// ErrNotADatabase: the file is not a database of Turnstile.
	ErrNotADatabase = errors.New("sqlite: not a database of Turnstile")
	// ErrDamaged: the file is damaged. Nothing more is written to it.
	ErrDamaged = errors.New("sqlite: the database is damaged")
)

// NewerError says that a newer build has made the database, or changed it. It
// has not been touched.
type NewerError struct {
	// File is the database.
	File string
	// Version of its schema, and the highest that this build knows.
	Version, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("sqlite: %s has schema version %d, made by a newer build; this build knows versions up to %d: use the newer build, or another directory", e.File, e.Version, e.Known)
}

// unavailable is trouble that passes, to the store and the journals.
type unavailable struct{ err error }

func (e unavailable) Error() string { return e.err.Error() }
func (e unavailable) Unwrap() error { return e.err }
func (e unavailable) Is(target error) bool {
	return target == store.ErrUnavailable || target == journal.ErrUnavailable
}

// explain says what an error of SQLite means for whoever has the file.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*NewerError)):
		return err
	case isFull(err):
		return unavailable{fmt.Errorf("%w: %s (%w): nothing is lost; make space, and it goes on", ErrFull, path, err)}
	case isDamage(err):
		return damaged(path, err)
	case errors.Is(err, sqlite3.READONLY), errors.Is(err, sqlite3.CANTOPEN), errors.Is(err, sqlite3.PERM):
		return unwritable(path, err)
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, sqlite3.LOCKED):
		return unavailable{fmt.Errorf("sqlite: %s is locked by a program that is not Turnstile (%w): end it", path, err)}
	case errors.Is(err, sqlite3.IOERR):
		return unavailable{fmt.Errorf("sqlite: %s can't be read or written: %w", path, err)}
	}
	return fmt.Errorf("sqlite: %s: %w", path, err)
}

// isDamage reports whether an error says that the file is not what was written.
// That it is a database of ours was known before it was opened.
func isDamage(err error) bool {
	_, unreadable := errors.AsType[*unreadableError](err)
	return unreadable || errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB) || errors.Is(err, sqlite3.IOERR_DATA)
}

// damaged says what to do with a damaged file.
func damaged(path string, err error) error {
	return fmt.Errorf("%w: %s (%w): stop, keep a copy of the file and of what stands beside it, and restore a backup, or what sqlite3's .recover saves", ErrDamaged, path, err)
}

// unreadableError is a row that says what nobody has written.
type unreadableError struct {
	what string
	err  error
}

func (e *unreadableError) Error() string { return fmt.Sprintf("%s can't be read: %v", e.what, e.err) }
func (e *unreadableError) Unwrap() error { return e.err }

// unwritable says that a file, or its directory, can't be written.
func unwritable(path string, err error) error {
	if noSpace(err) {
		return unavailable{fmt.Errorf("%w: %s (%w): nothing is lost; make space", ErrFull, path, err)}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sqlite: %s can't be opened: %w", path, err)
	}
	return fmt.Errorf("sqlite: %s can't be written: %w: let this user write the directory and the files in it, or use another directory", path, err)
}

// ends reports whether the database can't be used any more behind an error: it
// is damaged, or the system could not put on the disk what it had taken, and
// may have forgotten it since.
func ends(err error) bool {
	return isDamage(err) || errors.Is(err, sqlite3.IOERR_FSYNC) || errors.Is(err, sqlite3.IOERR_DIR_FSYNC)
}

// environmental reports whether an error is the database's and no single
// statement's.
func environmental(err error) bool {
	for _, code := range []sqlite3.ErrorCode{sqlite3.FULL, sqlite3.IOERR, sqlite3.CORRUPT, sqlite3.NOTADB, sqlite3.READONLY, sqlite3.CANTOPEN,
		sqlite3.PERM, sqlite3.BUSY, sqlite3.LOCKED, sqlite3.NOMEM, sqlite3.PROTOCOL} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// ofSQLite reports whether an error is SQLite's.
func ofSQLite(err error) bool {
	var code sqlite3.ErrorCode
	return errors.As(err, &code)
}

// ofTheFile reports whether an error is the file's or SQLite's, and no answer.
func ofTheFile(err error) bool { return ofSQLite(err) || isDamage(err) }
