package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// MaxCommit is the greatest size of a commit, in bytes of its history documents: as much as one
// transaction on AWS holds.
const MaxCommit = 4 << 20

// Store implements store.Store.
type Store struct {
	writer  *writer
	readers *readers
	known   *known
	indexed indexed
}

// startedAt discards the changes that a transaction staged and did not commit.
func (s *Store) startedAt() {
	s.known.startedAt()
	s.indexed.through = s.indexed.committed
}

// committed applies the staged changes of the transaction.
func (s *Store) committed(c *conn) {
	s.known.committed(c)
	s.indexed.committed = s.indexed.through
}

var (
	_ store.Store         = (*Store)(nil)
	_ store.StatusCounter = (*Store)(nil)
)

// Store implements embedded.Database.
func (db *DB) Store() store.Store { return db.store }

// item is a turn as its table stores it.
type item struct {
	executionID, first int64
	marks              int
	token, cancelled   string
	events             []byte
}

// Flags of a turn.
const (
	markMessaged = 1 << iota
	markParked
)

// reasonsBehind separates the events that a turn cancelled from the reasons.
const reasonsBehind = "\n"

func itemOf(t *store.Turn) item {
	it := item{executionID: t.ExecutionID, first: t.First(), token: t.Token, events: history.Encode(t.Events)}
	if t.Messaged {
		it.marks |= markMessaged
	}
	if t.Parked {
		it.marks |= markParked
	}
	for i, id := range t.Cancelled {
		if i > 0 {
			it.cancelled += " "
		}
		it.cancelled += strconv.FormatInt(id, 10)
	}
	if len(t.Reasons) > 0 {
		it.cancelled += reasonsBehind + t.EncodeReasons()
	}
	return it
}

func (it *item) turn(instance string) (store.Turn, error) {
	t := store.Turn{Instance: instance, ExecutionID: it.executionID, Token: it.token,
		Messaged: it.marks&markMessaged != 0, Parked: it.marks&markParked != 0}
	var err error
	if t.Events, err = store.DecodeEvents(instance, it.executionID, it.first, it.events); err != nil {
		return store.Turn{}, err
	}
	ids, why, _ := strings.Cut(it.cancelled, reasonsBehind)
	if err := t.DecodeReasons(why); err != nil {
		return store.Turn{}, &store.CorruptError{Instance: instance, ExecutionID: it.executionID, EventID: it.first, Reason: err.Error()}
	}
	for id := range strings.FieldsSeq(ids) {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return store.Turn{}, &store.CorruptError{Instance: instance, ExecutionID: it.executionID, EventID: it.first,
				Reason: fmt.Sprintf("its list of cancelled events is %.60q", it.cancelled)}
		}
		t.Cancelled = append(t.Cancelled, n)
	}
	return t, nil
}

// same reports whether two items are the same append.
func (it *item) same(other *item) bool {
	return it.token == other.token && it.marks == other.marks && it.cancelled == other.cancelled && string(it.events) == string(other.events)
}

const turnColumns = "execution, first, marks, token, cancelled, events"

func scanItem(s *sqlite3.Stmt) item {
	return item{executionID: s.ColumnInt64(0), first: s.ColumnInt64(1), marks: s.ColumnInt(2), token: s.ColumnText(3),
		cancelled: s.ColumnText(4), events: s.ColumnBlob(5, nil)}
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	items := make([]item, len(c.Turns))
	size := 0
	for i := range c.Turns {
		items[i] = itemOf(&c.Turns[i])
		size += len(items[i].events)
	}
	if size > MaxCommit {
		return tooLarge(c.Turns, size)
	}
	return s.change(ctx, c.Turns[0].Instance, func(tx *conn, found *instance) error {
		return s.commit(tx, found, items, c.Record)
	})
}

// commit makes a commit in a transaction.
func (s *Store) commit(tx *conn, found *instance, items []item, change *store.RecordChange) error {
	if change == nil || change.Holds(found.record) {
		if found.no == 0 && change != nil {
			// The instance has no row yet, so no slot is taken.
			record := change.Apply(store.Record{})
			if err := s.write(tx, found, &record); err != nil {
				return err
			}
			_, err := s.insert(tx, found, items)
			return err
		}
		n, err := s.insert(tx, found, items)
		if err != nil {
			return err
		}
		if n == len(items) {
			if change == nil {
				return nil
			}
			record := change.Apply(found.recordOrZero())
			return s.write(tx, found, &record)
		}
		for _, it := range items[:n] {
			if err := tx.exec("DELETE FROM turns WHERE no = ? AND execution = ? AND first = ?", found.no, it.executionID, it.first); err != nil {
				return err
			}
		}
	}
	for i := range items {
		it := &items[i]
		var stored item
		taken, err := tx.one(func(s *sqlite3.Stmt) error {
			stored = scanItem(s)
			return nil
		}, "SELECT "+turnColumns+" FROM turns WHERE no = ? AND execution = ? AND first = ?", found.no, it.executionID, it.first)
		if err != nil {
			return err
		}
		if taken && it.same(&stored) {
			// This is the same append: a commit is all or nothing, so the rest is stored too.
			return nil
		}
	}
	if change != nil && !change.Holds(found.record) {
		return found.conflict()
	}
	return fmt.Errorf("%w (instance %q execution %d event %d)", store.ErrConflict, found.id, items[0].executionID, items[0].first)
}

// insert stores items up to the first whose slot is taken, and returns how many it has stored.
func (s *Store) insert(tx *conn, found *instance, items []item) (int, error) {
	if err := found.make(tx); err != nil {
		return 0, err
	}
	for i, it := range items {
		err := tx.exec("INSERT INTO turns (no, "+turnColumns+") VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			found.no, it.executionID, it.first, it.marks, it.token, text(it.cancelled), it.events)
		if err != nil {
			return i, err
		}
		if tx.Changes() == 0 {
			return i, nil
		}
	}
	return len(items), nil
}

func tooLarge(turns []store.Turn, size int) error {
	e := &store.TooLargeError{CommitSize: size, Limit: "4 MB a transaction"}
	for i := range turns {
		t := &turns[i]
		if id, what, n := t.Largest(); i == 0 || n > e.EventSize {
			e.Instance, e.ExecutionID, e.EventID, e.What, e.EventSize = t.Instance, t.ExecutionID, id, what, n
		}
	}
	return e
}
