package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// A writer is the one that writes: a goroutine that commits, in one
// transaction, all that has come together while it made the one before. So
// however many write at once, they wait for one fsync.
//
// What it is given is of two sorts. A write is waited for. A note, of a
// journal, is not: it goes with the next write, or alone after noteDelay, and
// then without an fsync. Both become durable in the order in which they came,
// so what a crash takes away is the end.
type writer struct {
	path string
	conn *conn
	full bool
	// began is called when a transaction begins, and committed when it is durable,
	// before anybody hears of it.
	began     func()
	committed func(*conn)
	// synchronous is the setting that the connection has, and unsynced that
	// something is written which the disk may not have.
	synchronous string
	unsynced    bool

	mu sync.Mutex
	// next is the batch that collects what comes.
	next batch
	// trouble is why the last batch could not be written; nil otherwise. Then
	// notes wait, and what has been refused may be tried again.
	trouble error
	// ended is why nothing is written any more.
	ended error
	timer *time.Timer

	wake    chan struct{}
	stopped chan struct{}
	// stats are for tests.
	stats stats
}

// stats count what the writer has done.
type stats struct {
	// Transactions in all, and those of them that waited for the disk.
	transactions, synced int
}

// batch is what goes into one transaction.
type batch struct {
	writes []*write
	notes  notes
}

// write is what somebody waits for.
type write struct {
	// apply makes it, in a transaction that is under way. It may be called again
	// if that is rolled back. An error of SQLite's takes the transaction with it;
	// any other is the answer to this write alone, which has then written nothing.
	// Nil for a write that waits for what came before.
	apply  func(*conn) error
	answer chan error
	err    error
}

// noteDelay is how long a note may wait for a write that takes it along.
const noteDelay = 10 * time.Millisecond

// retryDelay is how long notes wait, after a batch could not be written, for
// the next try.
const retryDelay = 500 * time.Millisecond

func newWriter(path string, c *conn, level Level, began func(), committed func(*conn)) *writer {
	w := &writer{path: path, conn: c, full: level == Full, began: began, committed: committed, wake: make(chan struct{}, 1), stopped: make(chan struct{})}
	w.timer = time.AfterFunc(time.Hour, w.poke)
	w.timer.Stop()
	go w.run()
	return w
}

func (w *writer) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// do has a write made and waits until it is durable. An error says why it has
// not been; store.ErrUnknownOutcome that this could not be waited for.
func (w *writer) do(ctx context.Context, apply func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	wr := &write{apply: apply, answer: make(chan error, 1)}
	w.mu.Lock()
	if w.ended != nil {
		w.mu.Unlock()
		return w.ended
	}
	w.next.writes = append(w.next.writes, wr)
	w.mu.Unlock()
	w.poke()
	select {
	case err := <-wr.answer:
		return err
	case <-ctx.Done():
	}
	if w.withdraw(wr) {
		return ctx.Err()
	}
	// It is being made.
	select {
	case err := <-wr.answer:
		return err
	default:
		return fmt.Errorf("%w: %w", store.ErrUnknownOutcome, ctx.Err())
	}
}

// withdraw takes a write back that has not been begun.
func (w *writer) withdraw(wr *write) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, other := range w.next.writes {
		if other == wr {
			w.next.writes = append(w.next.writes[:i:i], w.next.writes[i+1:]...)
			return true
		}
	}
	return false
}

// flush waits until all that came before is durable.
func (w *writer) flush(ctx context.Context) error { return w.do(ctx, nil) }

// note notes something for the next transaction.
func (w *writer) note(add func(*notes)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return
	}
	empty := w.next.notes.empty()
	add(&w.next.notes)
	if empty && w.trouble == nil {
		w.timer.Reset(noteDelay)
	}
}

// ready is why nothing more should be noted, nil if it may.
func (w *writer) ready() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return w.ended
	}
	return w.trouble
}

// stop writes what is there and ends the writer. The connection is the caller's
// then.
func (w *writer) stop() *conn {
	w.end(ErrClosed)
	<-w.stopped
	w.timer.Stop()
	return w.conn
}

// end lets nothing more in.
func (w *writer) end(why error) {
	w.mu.Lock()
	if w.ended == nil {
		w.ended = why
	}
	w.mu.Unlock()
	w.poke()
}

func (w *writer) run() {
	defer close(w.stopped)
	for range w.wake {
		w.mu.Lock()
		b, ended := w.next, w.ended
		w.next = batch{}
		w.mu.Unlock()
		switch {
		case ended != nil && !errors.Is(ended, ErrClosed):
			for _, wr := range b.writes {
				wr.answer <- ended
			}
		case len(b.writes) > 0 || !b.notes.empty():
			w.commit(b)
		}
		if ended != nil {
			return
		}
	}
}

// commit writes a batch and answers its writes. Notes that could not be written
// are kept for the next.
func (w *writer) commit(b batch) {
	writes := b.writes
	err := w.try(b)
	for err != nil && !environmental(err) && len(b.writes) > 0 {
		// One of the writes is at fault: it fails, the others are made without it.
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
		case ofSQLite(answer):
			answer = explain(w.path, answer)
		case trouble != nil:
			answer = trouble
		}
		wr.answer <- answer
	}
}

// fail keeps the notes of a batch that could not be written, and returns what
// its writes are told.
func (w *writer) fail(old notes, err error) error {
	trouble := explain(w.path, err)
	if errors.Is(err, errCommit) && !errors.Is(err, sqlite3.FULL) {
		trouble = fmt.Errorf("%w: %w", store.ErrUnknownOutcome, trouble)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if ends(err) || !environmental(err) {
		if w.ended == nil {
			w.ended = fmt.Errorf("%w; nothing is written any more until it is opened anew", trouble)
		}
		return trouble
	}
	w.trouble = trouble
	old.append(&w.next.notes)
	w.next.notes = old
	w.timer.Reset(retryDelay)
	return trouble
}

// errCommit marks an error that came when a transaction was to be committed.
var errCommit = errors.New("the transaction could not be committed")

// try makes one transaction of a batch.
func (w *writer) try(b batch) (err error) {
	w.began()
	for _, wr := range b.writes {
		wr.err = nil
	}
	sync := w.full && len(b.writes) > 0
	if err := w.synchronize(sync); err != nil {
		return err
	}
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
	if sync && w.unsynced {
		// A transaction that writes nothing does not reach the disk, nor does what
		// was written before it.
		if err := w.conn.exec("UPDATE opened SET synced = synced + 1"); err != nil {
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

// synchronize has the next transaction wait for the disk, or not.
func (w *writer) synchronize(sync bool) error {
	want := "PRAGMA synchronous = NORMAL"
	if sync {
		want = "PRAGMA synchronous = FULL"
	}
	if w.synchronous == want {
		return nil
	}
	w.synchronous = want
	return w.conn.exec(want)
}
