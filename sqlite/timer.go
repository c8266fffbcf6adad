package sqlite

import (
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/journal"
)

// timerJournal stores the schedules of the timer.
type timerJournal struct {
	db *DB
	// created counts the schedules created since the database was opened.
	created atomic.Int64
}

var _ journal.Timer = (*timerJournal)(nil)

// Timer implements embedded.Database.
func (db *DB) Timer() journal.Timer { return &db.timer }

// Ready implements journal.Timer.
func (j *timerJournal) Ready() error { return j.db.writer.ready() }

// Load implements journal.Timer.
func (j *timerJournal) Load() (kept []journal.Schedule, err error) {
	err = j.db.readers.read(func(c *conn) error {
		return c.query(func(s *sqlite3.Stmt) error {
			kept = append(kept, journal.Schedule{Name: s.ColumnText(0), Due: time.Unix(0, s.ColumnInt64(1)), Body: s.ColumnText(2), Group: s.ColumnText(3)})
			return nil
		}, "SELECT name, due_ns, body, grp FROM schedules ORDER BY created")
	})
	return kept, err
}

// Created implements journal.Timer.
func (j *timerJournal) Created(s journal.Schedule) {
	order := j.db.base + j.created.Add(1)
	j.db.writer.note(func(n *notes) { n.schedule(s.Name, scheduleNote{created: &s, order: order}) })
}

// Removed implements journal.Timer.
func (j *timerJournal) Removed(name string) {
	j.db.writer.note(func(n *notes) { n.schedule(name, scheduleNote{}) })
}
