package sqlite

import (
	"context"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// Read implements store.Store.
func (s *Store) Read(ctx context.Context, id string, executionID, from int64) ([]store.Turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var items []item
	err := s.readers.read(func(c *conn) error {
		return c.query(func(s *sqlite3.Stmt) error {
			items = append(items, scanItem(s))
			return ctx.Err()
		}, `SELECT `+turnColumns+` FROM turns
			WHERE no = (SELECT no FROM instances WHERE instance = ?1) AND execution = ?2 AND first >= coalesce(
				(SELECT max(first) FROM turns WHERE no = (SELECT no FROM instances WHERE instance = ?1) AND execution = ?2 AND first <= ?3), ?3)
			ORDER BY first`, id, executionID, from)
	})
	if err != nil {
		return nil, err
	}
	turns := make([]store.Turn, len(items))
	for i := range items {
		if turns[i], err = items[i].turn(id); err != nil {
			return nil, err
		}
	}
	return store.Tail(turns, from)
}

// ReadIsolated implements store.Store.
func (s *Store) ReadIsolated(ctx context.Context, id string, executionID, eventID int64) (store.Isolated, error) {
	if err := ctx.Err(); err != nil {
		return store.Isolated{}, err
	}
	var isolated store.Isolated
	err := s.readers.read(func(c *conn) error {
		return c.atOnce(func() error {
			found, err := readInstance(c, id)
			if err != nil {
				return err
			}
			isolated.Record = found.record
			stored, err := c.number("SELECT EXISTS (SELECT 1 FROM turns WHERE no = ? AND execution = ? AND first = ?)", found.no, executionID, eventID)
			isolated.Stored = stored != 0
			return err
		})
	})
	return isolated, err
}
