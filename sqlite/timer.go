package sqlite

import (
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/timer"
)

// timerJournal keeps the schedules of the timer.
type timerJournal struct {
	db *DB
	// created counts what was created since the database was opened.
	created atomic.Int64
}

var _ timer.Journal = (*timerJournal)(nil)

// Timer implements embedded.Database.
func (db *DB) Timer() timer.Journal { return &db.timer }

// Ready implements timer.Journal.
func (j *timerJournal) Ready() error { return j.db.writer.ready() }

// Load implements timer.Journal.
func (j *timerJournal) Load() (kept []timer.Schedule, err error) {
	err = j.db.readers.read(func(c *conn) error {
		return c.query(func(s *sqlite3.Stmt) error {
			kept = append(kept, timer.Schedule{Name: s.ColumnText(0), Due: time.Unix(0, s.ColumnInt64(1)), Body: s.ColumnText(2), Group: s.ColumnText(3)})
			return nil
		}, "SELECT name, due_ns, body, grp FROM schedules ORDER BY created")
	})
	return kept, err
}

// Created implements timer.Journal.
func (j *timerJournal) Created(s timer.Schedule) {
	order := j.db.base + j.created.Add(1)
	j.db.writer.note(func(n *notes) { n.schedule(s.Name, scheduleNote{created: &s, order: order}) })
}

// Removed implements timer.Journal.
func (j *timerJournal) Removed(name string) {
	j.db.writer.note(func(n *notes) { n.schedule(name, scheduleNote{}) })
}
