package sqlite

import (
	"context"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// instance is the state of an instance in the current transaction.
type instance struct {
	id string
	// no is its number; 0 if it has no row.
	no int64
	// record is its record, nil for none. It is never changed in place.
	record *store.Record
}

func (i *instance) recordOrZero() store.Record {
	if i.record == nil {
		return store.Record{}
	}
	return *i.record
}

// conflict returns the error for a condition that does not hold.
func (i *instance) conflict() error {
	e := &store.RecordConflictError{Instance: i.id}
	if i.record != nil {
		found := i.record.Stored()
		e.Found = &found
	}
	return e
}

// change changes an instance in a transaction, and waits until the change is durable. If apply returns
// an error it has written nothing, except perhaps a row for the instance.
func (s *Store) change(ctx context.Context, id string, apply func(tx *conn, found *instance) error) error {
	return s.writer.do(ctx, func(tx *conn) error {
		before, err := s.known.in(tx, id)
		if err != nil {
			return err
		}
		after := *before
		err = apply(tx, &after)
		if err != nil {
			after.record = before.record
		}
		if after.no != 0 && after != *before {
			s.known.stage(before, &after)
		}
		return err
	})
}

// make creates a row for the instance.
func (i *instance) make(tx *conn) error {
	if i.no != 0 {
		return nil
	}
	if err := tx.exec("INSERT INTO instances (instance) VALUES (?)", i.id); err != nil {
		return err
	}
	i.no = tx.LastInsertRowID()
	return nil
}

// write replaces the record of an instance.
func (s *Store) write(tx *conn, i *instance, r *store.Record) error {
	had := i.record
	if err := i.write(tx, r); err != nil {
		return err
	}
	return s.indexed.changed(tx, i.no, had, r)
}

// write replaces the record.
func (i *instance) write(tx *conn, r *store.Record) error {
	row, err := rowOf(r)
	if err != nil {
		return err
	}
	columns := []any{row.status, row.name, row.listKey, r.States, r.Output, row.rest}
	if i.no == 0 {
		err = tx.exec("INSERT INTO instances (status, name, list_key, states, output, record, instance) VALUES (?, ?, ?, ?, ?, ?, ?)", append(columns, i.id)...)
		i.no = tx.LastInsertRowID()
	} else {
		err = tx.exec("UPDATE instances SET status = ?, name = ?, list_key = ?, states = ?, output = ?, record = ? WHERE no = ?", append(columns, i.no)...)
	}
	if err != nil {
		return err
	}
	if err := i.writeSearch(tx, r); err != nil {
		return err
	}
	i.record = r
	return nil
}

// writeSearch writes the difference of the search attributes.
func (i *instance) writeSearch(tx *conn, r *store.Record) error {
	had := i.recordOrZero()
	for name := range had.SearchAttributes {
		if _, has := r.SearchAttributes[name]; !has {
			if err := tx.exec("DELETE FROM search WHERE no = ? AND name = ?", i.no, name); err != nil {
				return err
			}
		}
	}
	moved := had.ListKey() != r.ListKey()
	for name, v := range r.SearchAttributes {
		if old, has := had.SearchAttributes[name]; has && old == v && !moved {
			continue
		}
		kind, value := searchColumns(v)
		if err := tx.exec("INSERT OR REPLACE INTO search (no, name, kind, value, list_key) VALUES (?, ?, ?, ?, ?)", i.no, name, kind, value, r.ListKey()); err != nil {
			return err
		}
	}
	return nil
}

// searchColumns returns a search value as its table stores it. SQLite compares integers and
// floating-point numbers exactly, as history does.
func searchColumns(v history.SearchValue) (kind string, value any) {
	if s, is := v.Text(); is {
		return "s", s
	}
	if n, whole := v.Whole(); whole {
		return "n", n
	}
	if f, is := v.Number(); is {
		return "n", f
	}
	at, _ := v.Time()
	return "t", at.UnixMilli()
}

// Describe implements store.Store.
func (s *Store) Describe(ctx context.Context, id string) (store.Record, error) {
	if err := ctx.Err(); err != nil {
		return store.Record{}, err
	}
	found, err := s.look(id)
	if err != nil {
		return store.Record{}, err
	}
	if found.record == nil {
		return store.Record{}, store.NotFound(id)
	}
	return found.record.Stored(), nil
}

// look returns the state of an instance.
func (s *Store) look(id string) (found *instance, err error) {
	if found := s.known.get(id); found != nil {
		return found, nil
	}
	err = s.readers.read(func(c *conn) error {
		found, err = readInstance(c, id)
		return err
	})
	return found, err
}

func readInstance(c *conn, id string) (*instance, error) {
	found := &instance{id: id}
	_, err := c.one(func(s *sqlite3.Stmt) error {
		found.no = s.ColumnInt64(0)
		if s.ColumnType(recordColumn) == sqlite3.NULL {
			return nil
		}
		r, err := scanRecord(s)
		found.record = &r
		return err
	}, "SELECT "+recordColumns+" FROM instances WHERE instance = ?", id)
	return found, err
}

// UpdateRecord implements store.Store.
func (s *Store) UpdateRecord(ctx context.Context, id string, change store.RecordChange) error {
	return s.change(ctx, id, func(tx *conn, found *instance) error {
		if !change.Holds(found.record) {
			return found.conflict()
		}
		record := change.Apply(found.recordOrZero())
		return s.write(tx, found, &record)
	})
}

// Hide implements store.Store.
func (s *Store) Hide(ctx context.Context, id string, executionID int64, freeAt time.Time) error {
	return s.change(ctx, id, func(tx *conn, found *instance) error {
		r := found.record
		if r == nil || r.ExecutionID != executionID || !r.Purged && !r.Status.Terminal() {
			return found.conflict()
		}
		hidden := r.Hidden(freeAt)
		return s.write(tx, found, &hidden)
	})
}

// DeleteHistory implements store.Store. Executions are deleted from the oldest to the newest, and the
// first turn of each is deleted first. So after an interruption the rest does not begin with event 1,
// and no reader treats it as a history.
func (s *Store) DeleteHistory(ctx context.Context, id string, upTo int64, limit int) (done bool, err error) {
	const atOnce = 1000
	for left := limit; ; {
		n := atOnce
		if limit > 0 {
			n = min(n, left)
		}
		deleted, done := 0, false
		err := s.change(ctx, id, func(tx *conn, found *instance) error {
			if err := tx.exec(`DELETE FROM turns WHERE rowid IN
				(SELECT rowid FROM turns WHERE no = ? AND execution BETWEEN 1 AND ? ORDER BY execution, first LIMIT ?)`, found.no, upTo, n); err != nil {
				return err
			}
			deleted = int(tx.Changes())
			more, err := tx.number("SELECT EXISTS (SELECT 1 FROM turns WHERE no = ? AND execution BETWEEN 1 AND ?)", found.no, upTo)
			done = more == 0
			return err
		})
		if err != nil {
			return false, err
		}
		if left -= deleted; done || limit > 0 && left <= 0 {
			return done, nil
		}
	}
}
