package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ncruces/go-sqlite3"
)

// Backup writes a copy of the database to a file that must not be there yet,
// as of one moment, while everything goes on. It is as small as it can be, and
// for this user alone. As turnstile.db in another directory it is a database
// that goes on from that moment: what was done since is done again.
//
// Errors: fs.ErrExist (wrapped) if there is such a file; ErrFull.
func (db *DB) Backup(ctx context.Context, name string) (err error) {
	if err := db.Flush(ctx); err != nil {
		return err
	}
	// Made first, with its mode: SQLite writes to an empty file too.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("sqlite: backup to %s: %w: name another file", name, fs.ErrExist)
	}
	if err != nil {
		return unwritable(name, err)
	}
	if err := f.Close(); err != nil {
		return unwritable(name, err)
	}
	c, err := connect(db.path, db.options.vfs, sqlite3.OPEN_READWRITE)
	if err == nil {
		c.SetInterrupt(ctx)
		err = c.exec("VACUUM INTO ?", name)
		c.SetInterrupt(context.Background())
		err = errors.Join(err, c.Close())
	}
	if err == nil {
		err = ownsNoLog(name)
	}
	if err == nil {
		return nil
	}
	err = errors.Join(explain(name, err), os.Remove(name))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// ownsNoLog has a copy name a log that it never had, so that it is not opened beside the log of
// the database in whose place it is put.
func ownsNoLog(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	var names [ownLogsEnd - ownLogs]byte
	_, _ = rand.Read(names[:])
	_, err = f.WriteAt(names[:], ownLogs)
	return errors.Join(err, f.Sync(), f.Close())
}
