package sqlite

import (
	"context"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// expiredAtOnce is how many expired answers one PutAnswer deletes at most. It writes one, so their number
// does not grow.
const expiredAtOnce = 10

// PutAnswer implements store.Answers. It also deletes some answers that have expired. It takes the time
// from the answer, which expires store.AnswerRetention from now.
func (s *Store) PutAnswer(ctx context.Context, a store.Answer) error {
	document, expiresAt := store.EncodeAnswer(&a.Event), a.ExpiresAt.Unix()
	now := a.ExpiresAt.Add(-store.AnswerRetention).Unix()
	return s.writer.do(ctx, func(tx *conn) error {
		if err := tx.exec(`DELETE FROM answers WHERE (instance, start_id, update_id) IN
			(SELECT instance, start_id, update_id FROM answers WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`, now, expiredAtOnce); err != nil {
			return err
		}
		return tx.exec(`INSERT INTO answers (instance, start_id, update_id, execution_id, event_id, open, document, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET execution_id = excluded.execution_id, event_id = excluded.event_id, open = excluded.open, document = excluded.document, expires_at = excluded.expires_at
			WHERE open AND (excluded.execution_id, excluded.event_id) > (execution_id, event_id)`,
			a.Instance, a.StartID, a.ID, a.ExecutionID, a.Event.EventID, a.Open(), document, expiresAt)
	})
}

// ReadAnswer implements store.Answers.
func (s *Store) ReadAnswer(ctx context.Context, key store.AnswerKey) (store.Answer, error) {
	if err := ctx.Err(); err != nil {
		return store.Answer{}, err
	}
	a := store.Answer{AnswerKey: key}
	var document []byte
	found := false
	err := s.readers.read(func(c *conn) (err error) {
		found, err = c.one(func(s *sqlite3.Stmt) error {
			a.ExecutionID, document, a.ExpiresAt = s.ColumnInt64(0), s.ColumnBlob(1, nil), time.Unix(s.ColumnInt64(2), 0).UTC()
			return nil
		}, "SELECT execution_id, document, expires_at FROM answers WHERE instance = ? AND start_id = ? AND update_id = ?", key.Instance, key.StartID, key.ID)
		return err
	})
	if err != nil {
		return store.Answer{}, err
	}
	if !found {
		return store.Answer{}, key.NotFound()
	}
	if a.Event, err = store.DecodeAnswer(key, a.ExecutionID, document); err != nil {
		return store.Answer{}, err
	}
	return a, nil
}

// DeleteAnswers implements store.Answers.
func (s *Store) DeleteAnswers(ctx context.Context, id string, limit int) (done bool, err error) {
	const atOnce = 1000
	for left := limit; ; {
		n := atOnce
		if limit > 0 {
			n = min(n, left)
		}
		deleted := 0
		err := s.writer.do(ctx, func(tx *conn) error {
			if err := tx.exec(`DELETE FROM answers WHERE instance = ? AND (start_id, update_id) IN
				(SELECT start_id, update_id FROM answers WHERE instance = ? ORDER BY start_id, update_id LIMIT ?)`, id, id, n); err != nil {
				return err
			}
			deleted = int(tx.Changes())
			more, err := tx.number("SELECT EXISTS (SELECT 1 FROM answers WHERE instance = ?)", id)
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
