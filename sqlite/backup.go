package sqlite

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3"
)

// Backup writes a copy of the database to a new file, as of one moment, while the database stays in
// use. The copy is as small as possible, and only this user can read it. Stored as turnstile.db in
// another directory, the copy is a database that continues from that moment: all later work is done
// again.
//
// Errors: fs.ErrExist (wrapped) if the file exists; ErrFull.
func (db *DB) Backup(ctx context.Context, name string) (err error) {
	if err := db.Flush(ctx); err != nil {
		return err
	}
	// SQLite would treat a name that begins with "file:" as a URI.
	if name, err = filepath.Abs(name); err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	// The file is created first, with its mode: SQLite also writes to an empty file.
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

// ownsNoLog makes a copy name a log that never existed, so that it is not opened together with the
// log of a database that it replaces.
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
