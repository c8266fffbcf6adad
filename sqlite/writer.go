package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// A writer commits, in one transaction, all changes that arrived during the previous transaction,
// so concurrent writers wait for one fsync. The first writer makes the transaction and the others
// wait, so a single writer never switches goroutines.
//
// There are two kinds of changes. The caller of a write waits for it. A note, which comes from a journal,
// has no waiting caller: it is written with the next write, or alone after noteDelay, and then without an
// fsync. Both become durable in the order in which they arrived, so a crash loses only the last changes.
type writer struct {
	path string
	full bool
	// startedAt is called when a transaction begins, and committed when it is durable, before any writer is
	// notified.
	startedAt func()
	committed func(*conn)

	mu sync.Mutex
	// next is the batch that collects arriving changes.
	next batch
	// leading is set while a goroutine makes a transaction. That goroutine may use conn and the fields
	// below it.
	leading bool
	// rests is signalled when leading is cleared.
	rests *sync.Cond
	// trouble is the error if the last batch could not be written, and nil otherwise. While it is set,
	// notes wait and failed writes may be tried again.
	trouble error
	// ended is set if nothing more can be written.
	ended error
	// timer makes the next transaction if there are notes but no writes.
	timer *time.Timer
	// remembers is when deduplication ids are next written.
	remembers time.Time

	conn *conn
	// synchronous is the current setting of the connection. unsynced is set if something was written that
	// may not be on the disk.
	synchronous string
	unsynced    bool
	// stats are for tests.
	stats stats
}

// stats count the writer's transactions.
type stats struct {
	// transactions is the total, synced how many of them waited for the disk.
	transactions, synced int
}

// batch is the content of one transaction.
type batch struct {
	writes []*write
	notes  notes
}

// write is a change that a goroutine waits for.
type write struct {
	// apply makes the change in the current transaction. It may be called again if the transaction is
	// rolled back. An error of SQLite rolls back the transaction; any other error is the result of this
	// write only, which has then written nothing. It is nil for a write that only waits for earlier
	// ones.
	apply func(*conn) error
	// relaxed is set if the write need not be flushed to the disk.
	relaxed bool
	// lingers is set if the write does not start a transaction immediately, but waits to share the
	// transaction of a write that follows soon.
	lingers bool
	answer  chan error
	// lead notifies a waiting write that it must make the next transaction.
	lead chan struct{}
	err  error
}

// lingerDelay is how long a client's send waits for a turn whose transaction it can share. The host
// is already processing the message by then, and commits a turn in less time than a disk write
// takes. A send that no turn follows takes 500 µs longer.
const lingerDelay = 500 * time.Microsecond

// noteDelay is how long a note may wait for a write whose transaction it can share.
const noteDelay = 10 * time.Millisecond

// rememberDelay is how long the deduplication ids of a FIFO queue wait to be written, so that they
// cost one row per second and not one per transaction. The ids that a crash loses belong to
// messages that were already processed, because existing messages carry their own. So in the worst
// case, a message that is sent a second time is processed twice, as happens on SQS after five
// minutes.
const rememberDelay = time.Second

// retryDelay is how long notes wait for the next try after a batch could not be written.
const retryDelay = 500 * time.Millisecond

func newWriter(path string, c *conn, level Level, startedAt func(), committed func(*conn)) *writer {
	w := &writer{path: path, conn: c, full: level == Full, startedAt: startedAt, committed: committed}
	w.rests = sync.NewCond(&w.mu)
	w.timer = time.AfterFunc(time.Hour, w.writeNotes)
	w.timer.Stop()
	return w
}

// do makes a write and waits until it is durable. An error means that the write was not made; a
// store.ErrUnknownOutcome means that the wait was cut short.
func (w *writer) do(ctx context.Context, apply func(*conn) error) error {
	return w.make(ctx, &write{apply: apply})
}

// relax waits until earlier notes are written. They then survive the process, but may not survive a
// failure of the machine.
func (w *writer) relax(ctx context.Context) error { return w.make(ctx, &write{relaxed: true}) }

func (w *writer) make(ctx context.Context, wr *write) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	wr.answer, wr.lead = make(chan error, 1), make(chan struct{}, 1)
	w.mu.Lock()
	if w.ended != nil {
		defer w.mu.Unlock()
		return w.ended
	}
	w.next.writes = append(w.next.writes, wr)
	switch {
	case w.leading:
	case !wr.lingers:
		w.leading = true
		wr.lead <- struct{}{}
	case len(w.next.writes) == 1:
		w.timer.Reset(lingerDelay)
	}
	w.mu.Unlock()
	select {
	case <-wr.lead:
		w.transact()
		return <-wr.answer
	case err := <-wr.answer:
		return err
	case <-ctx.Done():
	}
	if w.withdraw(wr) {
		return ctx.Err()
	}
	// The write is being made.
	select {
	case err := <-wr.answer:
		return err
	default:
		return fmt.Errorf("%w: %w", store.ErrUnknownOutcome, ctx.Err())
	}
}

// withdraw removes a write that has not been started.
func (w *writer) withdraw(wr *write) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.next.writes, wr)
	if i < 0 {
		return false
	}
	w.next.writes = slices.Delete(w.next.writes, i, i+1)
	select {
	case <-wr.lead:
		w.handOver()
	default:
	}
	return true
}

// transact makes a transaction of everything that has arrived. The caller leads.
func (w *writer) transact() {
	w.mu.Lock()
	b := w.take()
	ended := w.ended
	w.mu.Unlock()
	if ended == nil || errors.Is(ended, ErrClosed) {
		w.commit(b)
	} else {
		for _, wr := range b.writes {
			wr.answer <- ended
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handOver()
}

// take takes everything that has arrived, deduplication ids only when they are due. The caller holds
// the lock.
func (w *writer) take() batch {
	b := w.next
	w.next = batch{}
	w.timer.Stop()
	now := time.Now()
	if now.Before(w.remembers) {
		b.notes.remembered, w.next.notes.remembered = nil, b.notes.remembered
	} else if len(b.notes.remembered) > 0 {
		w.remembers = now.Add(rememberDelay)
	}
	return b
}

// settle makes the next transaction take everything.
func (w *writer) settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remembers = time.Time{}
}

// handOver lets the next goroutine lead. The caller has led, and holds the lock.
func (w *writer) handOver() {
	if len(w.next.writes) > 0 {
		w.next.writes[0].lead <- struct{}{}
		return
	}
	w.leading = false
	w.rests.Broadcast()
	notes := &w.next.notes
	switch {
	case w.ended != nil:
	case w.trouble != nil:
		w.timer.Reset(retryDelay)
	case notes.pressing():
		w.timer.Reset(noteDelay)
	case len(notes.remembered) > 0:
		w.timer.Reset(rememberDelay)
	}
}

// writeNotes leads if there are notes, or writes that linger, and no other goroutine leads.
func (w *writer) writeNotes() {
	w.mu.Lock()
	if w.leading || !w.waiting() {
		w.mu.Unlock()
		return
	}
	w.leading = true
	w.mu.Unlock()
	w.transact()
}

// waiting reports whether something has to be written. After trouble it always returns true, because a
// write has to show that the trouble is over. The caller holds the lock.
func (w *writer) waiting() bool {
	switch {
	case len(w.next.writes) > 0:
		return true
	case w.ended != nil:
		return false
	case w.trouble != nil && !w.next.notes.pressing():
		w.next.writes = append(w.next.writes, &write{apply: touch, relaxed: true, answer: make(chan error, 1), lead: make(chan struct{}, 1)})
		return true
	}
	return w.next.notes.pressing() || len(w.next.notes.remembered) > 0
}

// flush waits until everything before it is durable.
func (w *writer) flush(ctx context.Context) error { return w.do(ctx, nil) }

// flushSoon is a flush that waits briefly for another write to share its transaction, if that saves
// a wait for the disk.
func (w *writer) flushSoon(ctx context.Context) error {
	return w.make(ctx, &write{lingers: w.full})
}

// note adds a note for the next transaction.
func (w *writer) note(add func(*notes)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return
	}
	before := w.next.notes.pressing()
	add(&w.next.notes)
	if !before && w.next.notes.pressing() && !w.leading && w.trouble == nil {
		w.timer.Reset(noteDelay)
	}
}

// ready returns why nothing more should be noted; nil if notes are accepted.
func (w *writer) ready() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return w.ended
	}
	return w.trouble
}

// stop accepts nothing more and waits for the current transaction. The caller then owns the connection.
func (w *writer) stop() *conn {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = ErrClosed
	}
	for w.leading {
		w.rests.Wait()
	}
	w.timer.Stop()
	for _, wr := range w.next.writes { // They linger.
		wr.answer <- w.ended
	}
	w.next.writes = nil
	return w.conn
}
