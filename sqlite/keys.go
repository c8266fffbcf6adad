package sqlite

import (
	"bytes"
	"context"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// keys implements store.Keys.
type keys struct{ db *DB }

// Keys implements embedded.Database.
func (db *DB) Keys() store.Keys { return keys{db} }

// Key implements store.Keys.
func (k keys) Key(ctx context.Context, id string) (key []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = k.db.readers.read(func(c *conn) error {
		key, err = readKey(c, id)
		return err
	})
	return key, err
}

// Create implements store.Keys.
func (k keys) Create(ctx context.Context, id string, key []byte) ([]byte, error) {
	key = bytes.Clone(key)
	var kept []byte
	err := k.db.writer.do(ctx, func(tx *conn) (err error) {
		if err := tx.exec("INSERT INTO keys (id, secret) VALUES (?, ?) ON CONFLICT DO NOTHING", id, key); err != nil {
			return err
		}
		kept, err = readKey(tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return kept, nil
}

func readKey(c *conn, id string) (key []byte, err error) {
	_, err = c.one(func(s *sqlite3.Stmt) error {
		key = s.ColumnBlob(0, nil)
		return nil
	}, "SELECT secret FROM keys WHERE id = ?", id)
	return key, err
}
