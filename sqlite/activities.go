package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// activities implements store.Activities. An expired item is treated as missing; the next write removes
// it.
type activities struct{ db *DB }

// Activities implements embedded.Database.
func (db *DB) Activities() store.Activities { return activities{db} }

// activity is an item.
type activity struct {
	state store.ActivityState
	// expires is in Unix milliseconds.
	expires int64
}

const activityColumns = `expires_ms, stop, stop_reason, beat_attempt, beat_ms, beat_details, beat_codec,
	claim_attempt, claim_token, claim_until_ms, suspect, suspect_deaths, suspect_ms,
	next_attempt, next_due_ms, next_noted_ms, next_kind, next_message, next_started_ms, next_request, next_actor, earlier`

// find reads an item; it returns the zero item if there is none, or if it has expired.
func (a activities) find(c *conn, key store.ActivityKey) (activity, error) {
	var it activity
	_, err := c.one(func(s *sqlite3.Stmt) error {
		it = activity{
			expires: s.ColumnInt64(0),
			state: store.ActivityState{
				Stop: s.ColumnBool(1), StopReason: s.ColumnText(2),
				Beat:    store.Heartbeat{Attempt: s.ColumnInt(3), At: timeOf(s.ColumnInt64(4)), Details: s.ColumnBlob(5, nil), Codec: s.ColumnText(6)},
				Suspect: store.Suspect{Attempt: s.ColumnInt(10), Deaths: s.ColumnInt(11), Until: timeOf(s.ColumnInt64(12))},
				Next: store.NextAttempt{Attempt: s.ColumnInt(13), DueAt: timeOf(s.ColumnInt64(14)), NotedAt: timeOf(s.ColumnInt64(15)),
					Kind: s.ColumnText(16), Message: s.ColumnText(17), StartedAt: timeOf(s.ColumnInt64(18)), RequestID: s.ColumnText(19), Actor: s.ColumnText(20)},
				Earlier: notesOf(s.ColumnRawText(21)),
				Claim:   store.Claim{Attempt: s.ColumnInt(7), Token: s.ColumnText(8), Until: timeOf(s.ColumnInt64(9))},
			},
		}
		return nil
	}, "SELECT "+activityColumns+" FROM activities WHERE instance = ? AND execution = ? AND event = ?", key.Instance, key.ExecutionID, key.EventID)
	if err != nil || it.expires <= a.db.options.now().UnixMilli() {
		return activity{}, err
	}
	return it, nil
}

// change changes an item, and waits until the change is durable.
func (a activities) change(ctx context.Context, key store.ActivityKey, expiresAt time.Time, apply func(*activity) error) (activity, error) {
	var changed activity
	err := a.db.writer.do(ctx, func(tx *conn) error {
		it, err := a.find(tx, key)
		if err != nil {
			return err
		}
		err = apply(&it)
		changed = it
		if errors.Is(err, errUnchanged) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tx.exec("DELETE FROM activities WHERE expires_ms <= ?", a.db.options.now().UnixMilli()); err != nil {
			return err
		}
		it.expires = expiresAt.UnixMilli()
		a.db.noted.add(key)
		return writeActivity(tx, key, &it)
	})
	if err != nil {
		return activity{}, err
	}
	return changed, nil
}

// errUnchanged says that the item is not changed.
var errUnchanged = errors.New("unchanged")

func writeActivity(tx *conn, key store.ActivityKey, it *activity) error {
	beat, suspect, next := &it.state.Beat, &it.state.Suspect, &it.state.Next
	return tx.exec("INSERT OR REPLACE INTO activities (instance, execution, event, "+activityColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		key.Instance, key.ExecutionID, key.EventID, it.expires, it.state.Stop, text(it.state.StopReason), beat.Attempt, moment(beat.At), beat.Details, text(beat.Codec),
		it.state.Claim.Attempt, text(it.state.Claim.Token), moment(it.state.Claim.Until), suspect.Attempt, suspect.Deaths, moment(suspect.Until),
		next.Attempt, moment(next.DueAt), moment(next.NotedAt), text(next.Kind), text(next.Message),
		moment(next.StartedAt), text(next.RequestID), text(next.Actor), notesText(it.state.Earlier))
}

// notesText encodes notes for their column; NULL for none.
func notesText(notes []store.NextAttempt) any {
	if len(notes) == 0 {
		return nil
	}
	b, err := json.Marshal(notes)
	if err != nil {
		panic(err) // Numbers, times and strings can always be encoded.
	}
	return string(b)
}

func notesOf(text []byte) (notes []store.NextAttempt) {
	if len(text) > 0 && json.Unmarshal(text, &notes) != nil {
		return nil // The notes are only for display.
	}
	return notes
}

// moment returns a time in Unix milliseconds, NULL for the zero time.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// RequestStop implements store.Activities. The reason of the first request is kept.
func (a activities) RequestStop(ctx context.Context, key store.ActivityKey, reason string, expiresAt time.Time) error {
	_, err := a.change(ctx, key, expiresAt, func(it *activity) error {
		if !it.state.Stop {
			it.state.Stop, it.state.StopReason = true, reason
		}
		return nil
	})
	return err
}

// State implements store.Activities.
func (a activities) State(ctx context.Context, key store.ActivityKey) (store.ActivityState, error) {
	if err := ctx.Err(); err != nil {
		return store.ActivityState{}, err
	}
	var it activity
	if !a.db.noted.has(key) {
		return it.state, nil
	}
	err := a.db.readers.read(func(c *conn) (err error) {
		it, err = a.find(c, key)
		return err
	})
	return it.state, err
}

// Heartbeat implements store.Activities.
func (a activities) Heartbeat(ctx context.Context, key store.ActivityKey, beat store.Heartbeat, expiresAt time.Time) (store.ActivityState, error) {
	beat.Details = bytes.Clone(beat.Details)
	it, err := a.change(ctx, key, expiresAt, func(it *activity) error {
		last := &it.state.Beat
		if beat.Attempt < last.Attempt {
			return errUnchanged
		}
		if beat.Details != nil {
			last.Details, last.Codec = beat.Details, beat.Codec
		}
		last.Attempt, last.At = beat.Attempt, beat.At.UTC().Truncate(time.Millisecond)
		return nil
	})
	return it.state, err
}

// Claim implements store.Activities.
func (a activities) Claim(ctx context.Context, key store.ActivityKey, claim store.Claim, expiresAt time.Time) error {
	_, err := a.change(ctx, key, expiresAt, func(it *activity) error {
		if found := it.state.Claim; found.Attempt > claim.Attempt || found.Attempt == claim.Attempt && found.Token != claim.Token {
			return &store.ClaimedError{Key: key, Found: found}
		}
		it.state.Claim = claim
		return nil
	})
	return err
}

// SetSuspect implements store.Activities.
func (a activities) SetSuspect(ctx context.Context, key store.ActivityKey, suspect store.Suspect, expiresAt time.Time) error {
	_, err := a.change(ctx, key, expiresAt, func(it *activity) error {
		it.state.Suspect = suspect
		return nil
	})
	return err
}

// NoteNext implements store.Activities.
func (a activities) NoteNext(ctx context.Context, key store.ActivityKey, next store.NextAttempt, expiresAt time.Time) error {
	_, err := a.change(ctx, key, expiresAt, func(it *activity) error {
		for _, t := range []*time.Time{&next.DueAt, &next.NotedAt, &next.StartedAt} {
			*t = t.UTC().Truncate(time.Millisecond)
		}
		if !it.state.Note(next) {
			return errUnchanged
		}
		return nil
	})
	return err
}
