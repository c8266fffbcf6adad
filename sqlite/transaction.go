package sqlite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// The leading goroutine turns a batch into one transaction, and tries it again without the writes that
// fail.

// commit writes a batch and returns their results to its writes. Notes that could not be written are
// kept for the next batch.
func (w *writer) commit(b batch) {
	writes := b.writes
	err := w.try(b)
	for err != nil && !environmental(err) && len(b.writes) > 0 {
		// One of the writes causes the error: it fails, and the others are made without it.
		var rest []*write
		for _, wr := range b.writes {
			if wr.err == nil || !ofSQLite(wr.err) {
				rest = append(rest, wr)
			}
		}
		if len(rest) == len(b.writes) {
			break
		}
		b.writes = rest
		err = w.try(b)
	}
	var trouble error
	if err != nil {
		trouble = w.fail(b.notes, err)
	} else {
		w.mu.Lock()
		w.trouble = nil
		w.mu.Unlock()
		w.committed(w.conn)
	}
	for _, wr := range writes {
		answer := wr.err
		switch {
		case ofTheFile(answer):
			answer = explain(w.path, answer)
		case trouble != nil:
			answer = trouble
		}
		wr.answer <- answer
	}
}

// fail keeps the notes of a batch that could not be written, and returns the error for its writes.
func (w *writer) fail(old notes, err error) error {
	reason := explain(w.path, err)
	trouble := reason
	if errors.Is(err, errCommit) && !errors.Is(err, sqlite3.FULL) {
		trouble = fmt.Errorf("%w: %w", store.ErrUnknownOutcome, trouble)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ends(err) || !environmental(err) {
		if w.ended == nil {
			w.ended = fmt.Errorf("%w; nothing more is written until the database is opened again", reason)
		}
		return trouble
	}
	w.trouble = trouble
	old.append(&w.next.notes)
	w.next.notes = old
	return trouble
}

// errCommit marks an error of the COMMIT of a transaction.
var errCommit = errors.New("the transaction could not be committed")

// try makes one transaction of a batch.
func (w *writer) try(b batch) (err error) {
	w.startedAt()
	for _, wr := range b.writes {
		wr.err = nil
	}
	sync := w.full && slices.ContainsFunc(b.writes, func(wr *write) bool { return !wr.relaxed })
	if err := w.synchronize(sync); err != nil {
		return err
	}
	changes := w.conn.TotalChanges()
	if err := w.conn.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil && !w.conn.GetAutocommit() {
			err = errors.Join(err, w.conn.Exec("ROLLBACK"))
		}
	}()
	for _, wr := range b.writes {
		if wr.apply == nil {
			continue
		}
		if wr.err = wr.apply(w.conn); ofSQLite(wr.err) {
			return wr.err
		}
	}
	if err := b.notes.apply(w.conn); err != nil {
		return err
	}
	if sync && w.unsynced && w.conn.TotalChanges() == changes {
		// A transaction that writes nothing does not reach the disk, and does not flush earlier writes
		// either.
		if err := touch(w.conn); err != nil {
			return err
		}
	}
	if err := w.conn.exec("COMMIT"); err != nil {
		return fmt.Errorf("%w: %w", errCommit, err)
	}
	w.unsynced = !sync
	w.stats.transactions++
	if sync {
		w.stats.synced++
	}
	return nil
}

// touch changes the file without changing its meaning.
func touch(c *conn) error { return c.exec("UPDATE opened SET synced = synced + 1") }

// synchronize sets whether the next transaction waits for the disk.
func (w *writer) synchronize(sync bool) error {
	want := "PRAGMA synchronous = NORMAL"
	if sync {
		want = "PRAGMA synchronous = FULL"
	}
	if w.synchronous == want {
		return nil
	}
	// This is not kept as a prepared statement, because it takes effect when it is prepared.
	if err := w.conn.Exec(want); err != nil {
		return err
	}
	w.synchronous = want
	return nil
}
