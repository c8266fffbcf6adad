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

// A writer commits, in one transaction, all that has come together while the one
// before was made: however many write at once, they wait for one fsync. Who
// comes first makes the transaction, the others wait; so a single one that
// writes hands nothing over.
//
// What it is given is of two sorts. A write is waited for. A note, of a
// journal, is not: it goes with the next write, or alone after noteDelay, and
// then without an fsync. Both become durable in the order in which they came,
// so what a crash takes away is the end.
type writer struct {
	path string
	full bool
	// began is called when a transaction begins, and committed when it is durable,
	// before anybody hears of it.
	began     func()
	committed func(*conn)

	mu sync.Mutex
	// next is the batch that collects what comes.
	next batch
	// leading is set while somebody makes a transaction. Whoever has set it may
	// use conn and what stands below it.
	leading bool
	// rests is signalled when leading is no longer set.
	rests *sync.Cond
	// trouble is why the last batch could not be written; nil otherwise. Then
	// notes wait, and what has been refused may be tried again.
	trouble error
	// ended is why nothing is written any more.
	ended error
	// timer leads where there are notes and no writes.
	timer *time.Timer
	// remembers is when deduplication ids are to be written the next time.
	remembers time.Time

	conn *conn
	// synchronous is the setting that the connection has, and unsynced that
	// something is written which the disk may not have.
	synchronous string
	unsynced    bool
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
	apply func(*conn) error
	// relaxed is a write that the system need not put on the disk.
	relaxed bool
	// lingers is one that lets a write which soon follows take it along, in place of
	// leading at once.
	lingers bool
	answer  chan error
	// lead tells who waits that it is to make the next transaction.
	lead chan struct{}
	err  error
}

// lingerDelay is how long a client's send waits for a turn that takes it along: what
// it sends is being handled by then, and a turn is committed sooner than a disk has
// written. One that is not waits that much longer.
const lingerDelay = 500 * time.Microsecond

// noteDelay is how long a note may wait for a write that takes it along.
const noteDelay = 10 * time.Millisecond

// rememberDelay is how long the deduplication ids of a FIFO queue wait, so that
// they cost a row a second and not one a transaction. What a crash takes of them
// is of messages that were handled by then: those that are still there have their
// own. So in the worst case one that is sent a second time is handled twice, as
// it is on SQS after five minutes.
const rememberDelay = time.Second

// retryDelay is how long notes wait, after a batch could not be written, for
// the next try.
const retryDelay = 500 * time.Millisecond

func newWriter(path string, c *conn, level Level, began func(), committed func(*conn)) *writer {
	w := &writer{path: path, conn: c, full: level == Full, began: began, committed: committed}
	w.rests = sync.NewCond(&w.mu)
	w.timer = time.AfterFunc(time.Hour, w.writeNotes)
	w.timer.Stop()
	return w
}

// do has a write made and waits until it is durable. An error says why it has
// not been; store.ErrUnknownOutcome that this could not be waited for.
func (w *writer) do(ctx context.Context, apply func(*conn) error) error {
	return w.make(ctx, &write{apply: apply})
}

// relax waits until what has been noted is written: it outlives the process,
// and may not outlive the machine.
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

// transact makes a transaction of what has come together. The caller leads.
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

// take takes what has come together, deduplication ids only when it is time. The
// caller holds the lock.
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

// settle has the next transaction take everything.
func (w *writer) settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remembers = time.Time{}
}

// handOver lets the next one lead. The caller has led, and holds the lock.
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

// writeNotes leads where there are notes, or writes that linger, and nobody else
// does.
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

// waiting reports whether something is to be written. After trouble there is always
// something, because a write has to show that the trouble is over. The caller holds the lock.
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

// flush waits until all that came before is durable.
func (w *writer) flush(ctx context.Context) error { return w.do(ctx, nil) }

// flushSoon is flush that goes with a write which soon follows, where one saves a
// wait for the disk.
func (w *writer) flushSoon(ctx context.Context) error {
	return w.make(ctx, &write{lingers: w.full})
}

// note notes something for the next transaction.
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

// ready is why nothing more should be noted, nil if it may.
func (w *writer) ready() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return w.ended
	}
	return w.trouble
}

// stop lets nothing more in and waits for what is being written. The connection
// is the caller's then.
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
