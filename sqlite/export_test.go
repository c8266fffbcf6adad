package sqlite

// VFS has SQLite reach its files through the file system of that name.
func VFS(name string) Option { return func(o *options) { o.vfs = name } }

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
