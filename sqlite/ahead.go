package sqlite

import (
	"context"
	"math"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Events that are written in advance of a turn are stored in the table of turns after all events of its
// execution: as far below behindAll as their slot (store.Turn.AheadSlots) is below 0. So they are
// deleted after event 1.
const (
	behindAll = math.MaxInt64
	aheadFrom = 1 << 61
)

// WriteAhead implements store.Store.
func (s *Store) WriteAhead(ctx context.Context, part store.Turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := part.CheckAhead(); err != nil {
		return err
	}
	slot, _ := part.AheadSlots(part.First())
	it := item{executionID: part.ExecutionID, first: behindAll + slot, token: part.Token, events: history.Encode(part.Events)}
	if len(it.events) > MaxCommit {
		return tooLarge([]store.Turn{part}, len(it.events))
	}
	return s.change(ctx, part.Instance, func(tx *conn, found *instance) error {
		_, err := s.insert(tx, found, []item{it}) // An existing part is the same part.
		return err
	})
}

// Ahead implements store.Store.
func (s *Store) Ahead(ctx context.Context, id string, executionID int64, name string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	parts, err := s.ahead(ctx, &store.Turn{Instance: id, ExecutionID: executionID, Ahead: name}, 1)
	if err != nil || len(parts) == 0 {
		return 0, err
	}
	return parts[0].Last(), nil
}

// join prepends the events that were written in advance to a turn.
func (s *Store) join(ctx context.Context, t *store.Turn) error {
	parts, err := s.ahead(ctx, t, -1)
	if err != nil {
		return err
	}
	return t.Join(parts)
}

// ahead returns the parts of a name in order or, with a limit, the last ones in reverse order.
func (s *Store) ahead(ctx context.Context, of *store.Turn, limit int) ([]store.Turn, error) {
	low, high := of.AheadSlots(store.MaxAhead)
	order := "DESC"
	if limit > 0 {
		order = "ASC"
	}
	var items []item
	err := s.readers.read(func(c *conn) error {
		return c.query(func(s *sqlite3.Stmt) error {
			items = append(items, scanItem(s))
			return ctx.Err()
		}, `SELECT `+turnColumns+` FROM turns
			WHERE no = (SELECT no FROM instances WHERE instance = ?1) AND execution = ?2 AND first BETWEEN ?3 AND ?4
			ORDER BY first `+order+` LIMIT ?5`, of.Instance, of.ExecutionID, behindAll+low, behindAll+high, limit)
	})
	if err != nil {
		return nil, err
	}
	parts := make([]store.Turn, len(items))
	for i, it := range items {
		parts[i] = store.Turn{Instance: of.Instance, ExecutionID: of.ExecutionID, Token: it.token}
		if err := parts[i].Decode(behindAll+high+1-it.first, it.events); err != nil {
			return nil, err
		}
	}
	return parts, nil
}
