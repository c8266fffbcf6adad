package sqlite

import (
	"context"

	"github.com/ncruces/go-sqlite3/vfs"

	"github.com/turnstile-go/turnstile/store"
)

// Files is the file system that SQLite uses, over another.
func Files(over vfs.VFS) vfs.VFS { return files{over} }

// VFS has SQLite reach its files through the file system of that name.
func VFS(name string) Option { return option(func(o *options) { o.vfs = name }) }

// IndexWords has a search index words where more than lag instances are not indexed, and find by
// the index where that finds up to so many.
func IndexWords(lag, found int64) Option {
	return option(func(o *options) { o.index = indexed{lag: lag, found: found} })
}

// URI is what SQLite is given for a file in a path with slashes.
func URI(path, vfs string) string { return uri(path, vfs) }

// Transactions returns how many were made since the database was opened, and
// how many of them have waited for the disk.
func (db *DB) Transactions() (all, synced int) {
	db.writer.mu.Lock()
	defer db.writer.mu.Unlock()
	for db.writer.leading {
		db.writer.rests.Wait()
	}
	return db.writer.stats.transactions, db.writer.stats.synced
}

// WriteNotes writes what has been noted, as happens by itself after a while.
func (db *DB) WriteNotes() { db.writer.writeNotes() }

// Uncached is a store that reads what it describes, and never remembers.
func Uncached(s store.Store) store.Store { return uncached{s.(*Store)} }

type uncached struct{ *Store }

func (u uncached) Describe(ctx context.Context, id string) (store.Record, error) {
	if err := ctx.Err(); err != nil {
		return store.Record{}, err
	}
	var found *instance
	err := u.readers.read(func(c *conn) (err error) {
		found, err = readInstance(c, id)
		return err
	})
	if err != nil {
		return store.Record{}, err
	}
	if found.record == nil {
		return store.Record{}, store.NotFound(id)
	}
	return *found.record, nil
}
