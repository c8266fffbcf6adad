package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/limits"
)

// Names of the files in the directory of a database. While the database is open and after a crash,
// SQLite keeps two more next to it, turnstile.db-wal and turnstile.db-shm; they belong to it.
const (
	FileName = "turnstile.db"
	lockName = "turnstile.lock"
)

// DB is an open database. It implements embedded.Database; its methods may be
// called from several goroutines.
type DB struct {
	path    string
	options options
	locked  *held
	writer  *writer
	readers readers
	store   *Store
	timer   timerJournal
	noted   noted

	mu       sync.Mutex
	closed   bool
	acquired bool
	// queues by name: a journal is kept when a runtime ends and another starts.
	queues map[string]*queueJournal
	// base is lower than every Seq that queues assign while this process has the database open, and
	// higher than every Seq that was assigned before.
	base int64
}

var _ embedded.Database = (*DB)(nil)

// Open opens the database in a directory, and creates both if they do not exist. Only this user can
// read it, because it contains the keys of completion tokens.
//
// Errors: *LockedError if a process has the database open; *NewerError, ErrNotADatabase or
// ErrDamaged (wrapped; also for a log that is damaged or belongs to a different database), each
// before anything was changed; ErrFull (wrapped). All contain the name of the file.
func Open(dir string, opts ...Option) (*DB, error) {
	versions, err := schema()
	if err != nil {
		return nil, err
	}
	return open(dir, versions, opts)
}

func open(dir string, versions migrations, opts []Option) (_ *DB, err error) {
	db := &DB{options: options{durability: Full, now: time.Now, vfs: filesName, index: indexed{lag: maxLag, found: maxFound}}, queues: map[string]*queueJournal{}}
	db.timer.db = db
	for _, o := range opts {
		o.apply(&db.options)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); noSpace(err) {
		return nil, unwritable(dir, err)
	} else if err != nil {
		return nil, fmt.Errorf("sqlite: creating the directory of the database: %w", err)
	}
	db.path = filepath.Join(dir, FileName)
	if db.locked, err = lock(db.path, true); err != nil {
		return nil, err
	}
	if err := versions.inspect(db.path); err != nil {
		return nil, errors.Join(err, db.locked.unlock())
	}
	c, err := db.connectWriter()
	if err == nil {
		if err = db.begin(c, versions); err != nil {
			err = errors.Join(explain(db.path, err), c.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(err, db.locked.unlock())
	}
	return db, nil
}

// connectWriter opens the connection that writes.
func (db *DB) connectWriter() (*conn, error) {
	c, err := connect(db.path, db.options.vfs, sqlite3.OPEN_READWRITE)
	if err != nil {
		return nil, explain(db.path, err)
	}
	return c, nil
}

// walPages is how long the log may grow before its content is moved into the database file, in pages of
// 4 KiB.
const walPages = 4000

// begin prepares the connection for use.
func (db *DB) begin(c *conn, versions migrations) error {
	// The first read shows what the file contains.
	if _, err := c.number("PRAGMA application_id"); err != nil {
		return err
	}
	anew, err := reserve(c)
	if err != nil {
		return err
	}
	if err := claim(c); err != nil {
		return err
	}
	for _, pragma := range []string{
		"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA busy_timeout = 5000", "PRAGMA temp_store = MEMORY",
		fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", walPages),
	} {
		if err := c.Exec(pragma); err != nil {
			return err
		}
	}
	if anew {
		if err := rewrite(c); err != nil {
			return err
		}
	}
	if err := versions.migrate(c); err != nil {
		return err
	}
	if anew {
		// The build that created the file may not know the index.
		if err := c.Exec(dropWords); err != nil {
			return err
		}
	}
	if db.base, err = db.recover(c); err != nil {
		return err
	}
	if err := db.noted.load(c); err != nil {
		return err
	}
	db.readers.path, db.readers.vfs = db.path, db.options.vfs
	db.store = &Store{readers: &db.readers, known: newKnown(), indexed: db.options.index}
	if err := db.store.indexed.load(c); err != nil {
		return err
	}
	db.writer = newWriter(db.path, c, db.options.durability, db.store.startedAt, db.store.committed)
	db.store.writer = db.writer
	return nil
}

// seqsPerOpen is the maximum number of messages of a queue between two openings of its database. It
// ensures that no id is assigned twice, although the last id is not stored.
const seqsPerOpen = 1_000_000_000_000

// recover corrects the state that the previous process left, and returns where sequences begin.
func (db *DB) recover(c *conn) (base int64, err error) {
	if err := c.Exec("BEGIN IMMEDIATE"); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil && !c.GetAutocommit() {
			err = errors.Join(err, c.Exec("ROLLBACK"))
		}
	}()
	closed, err := c.number("SELECT closed FROM opened")
	if err != nil {
		return 0, err
	}
	now := db.options.now()
	times, err := c.number("SELECT times FROM opened")
	if err != nil {
		return 0, err
	}
	if closed == 0 {
		// The first receive of a message that the previous process itself sent is not written. Assume
		// that every message that could have been received was received.
		if err := c.exec("UPDATE messages SET received = received + 1 WHERE seq > ? AND (due_ns IS NULL OR due_ns <= ?)", times*seqsPerOpen, now.UnixNano()); err != nil {
			return 0, err
		}
	}
	// No attempt is running any more. Claims of execution 0 do not belong to attempts: a permit of
	// a rate stays taken until its window is over.
	ms := now.UnixMilli()
	for _, sql := range []string{
		"UPDATE activities SET claim_until_ms = ? WHERE claim_until_ms > ? AND execution > 0",
		"UPDATE activities SET suspect_ms = ? WHERE suspect_ms > ?",
	} {
		if err := c.exec(sql, ms, ms); err != nil {
			return 0, err
		}
	}
	if err := freePermits(c); err != nil {
		return 0, err
	}
	if err := c.exec("UPDATE opened SET times = times + 1, closed = 0"); err != nil {
		return 0, err
	}
	return (times + 1) * seqsPerOpen, c.Exec("COMMIT")
}

// freePermits releases the permits of limits that attempts of the previous process held, so that the
// same attempts do not wait for their own permits.
func freePermits(c *conn) error {
	freed := map[string]string{}
	err := c.query(func(s *sqlite3.Stmt) error {
		if token, held := limits.WithoutGroups(s.ColumnText(1)); held {
			freed[s.ColumnText(0)] = token
		}
		return nil
	}, "SELECT instance, claim_token FROM activities WHERE execution = 0 AND instance > ?1 AND instance < ?1 || char(1114111)", limits.Key("").Instance)
	if err != nil {
		return err
	}
	for instance, token := range freed {
		if err := c.exec("UPDATE activities SET claim_token = ? WHERE instance = ? AND execution = 0", token, instance); err != nil {
			return err
		}
	}
	return nil
}

// Path returns the path of the database file.
func (db *DB) Path() string { return db.path }

// Acquire implements embedded.Database.
func (db *DB) Acquire() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	switch {
	case db.closed:
		return ErrClosed
	case db.acquired:
		return fmt.Errorf("sqlite: %s: another runtime of this process uses it: wait until its Run has returned", db.path)
	}
	db.acquired = true
	return nil
}

// Release implements embedded.Database.
func (db *DB) Release() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.acquired = false
	if db.closed {
		return nil
	}
	for _, q := range db.queues {
		q.settle()
	}
	db.writer.settle()
	return db.writer.flush(context.Background())
}

// Flush implements embedded.Database.
func (db *DB) Flush(ctx context.Context) error { return db.writer.flushSoon(ctx) }

// Close makes all writes durable and closes the database. A second call does nothing. Operations that
// are still running return ErrClosed.
func (db *DB) Close() error {
	if err := db.Release(); err != nil {
		return errors.Join(err, db.shut(false))
	}
	return db.shut(true)
}

func (db *DB) shut(clean bool) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	c := db.writer.stop()
	errs := []error{db.readers.close()}
	if clean {
		errs = append(errs, c.exec("UPDATE opened SET closed = 1"))
		_, _, err := c.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
		errs = append(errs, err)
	}
	errs = append(errs, c.Close())
	return errors.Join(explain(db.path, errors.Join(errs...)), db.locked.unlock())
}
