package sqlite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/journal"
	"github.com/turnstile-go/turnstile/store"
)

// scanned are the statements that look at a whole table, with the reason why
// they may.
var scanned = map[string]string{
	"UPDATE opened SET synced = synced + 1":                                     "it has one row",
	"SELECT indexed FROM opened":                                                "it has one row",
	"UPDATE opened SET indexed = ?":                                             "it has one row",
	"SELECT coalesce((SELECT max(no) FROM instances), 0) - indexed FROM opened": "it has one row",
	"SELECT EXISTS (SELECT 1 FROM unindexed)":                                   "it stops at the first row",
	"SELECT closed FROM opened":                                                 "once, when the database is opened; it has one row",
	"SELECT times FROM opened":                                                  "once, when the database is opened; it has one row",
	"UPDATE opened SET times = times + 1, closed = 0":                           "once, when the database is opened; it has one row",
	"UPDATE messages SET received = received + 1 WHERE seq > ? AND (due_ns IS NULL OR due_ns <= ?)":                                "once, when the database is opened",
	"UPDATE activities SET claim_until_ms = ? WHERE claim_until_ms > ? AND execution > 0":                                          "once, when the database is opened",
	"UPDATE activities SET suspect_ms = ? WHERE suspect_ms > ?":                                                                    "once, when the database is opened",
	"SELECT instance, execution, event FROM activities":                                                                            "once, when the database is opened",
	"SELECT DISTINCT queue FROM messages ORDER BY queue":                                                                           "once, when the runtime begins",
	"SELECT name, due_ns, body, grp FROM schedules ORDER BY created":                                                               "once, when the runtime begins",
	"SELECT ids FROM remembered WHERE queue = ? ORDER BY until_ns":                                                                 "once, when the runtime begins",
	"SELECT name, status, count(*) FROM instances INDEXED BY instances_by_status WHERE list_key IS NOT NULL GROUP BY status, name": "once, when somebody counts",
}

// Every statement that the database has prepared finds its rows by an index, and
// in their order.
func TestEveryStatementFindsItsRowsByAnIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := Open(dir, IndexWords(0, 1000))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if err := errors.Join(useStore(ctx, db), useActivities(ctx, db), useJournals(ctx, db)); err != nil {
		t.Fatal(err)
	}
	prepared := map[string]bool{}
	for sql := range db.writer.conn.prepared {
		prepared[sql] = true
	}
	for _, c := range db.readers.idle {
		for sql := range c.prepared {
			prepared[sql] = true
		}
	}
	// After an end without Close more is done when it is opened.
	if err := db.writer.conn.exec("UPDATE opened SET closed = 0"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.readers.close(), db.writer.stop().Close(), db.locked.unlock()); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	for sql := range db.writer.conn.prepared {
		prepared[sql] = true
	}
	for _, sql := range slices.Sorted(maps.Keys(prepared)) {
		var plan []string
		if err := db.writer.conn.query(func(s *sqlite3.Stmt) error {
			plan = append(plan, s.ColumnText(3))
			return nil
		}, "EXPLAIN QUERY PLAN "+sql); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "; ")
		text = strings.NewReplacer("SCAN words VIRTUAL TABLE", "SEARCH words", "SCAN (subquery", "(subquery").Replace(text) // a table that is an index, and what LIMIT bounds
		bad := strings.Contains(text, "SCAN") && !strings.Contains(text, "SCAN CONSTANT ROW") || strings.Contains(text, "TEMP B-TREE")
		if strings.Contains(sql, byID) || strings.Contains(sql, byFound) {
			bad = strings.Contains(text, "SCAN instances") // fewIDs or maxFound at most are sorted
		}
		if strings.Contains(sql, "unindexed") {
			bad = strings.Contains(strings.NewReplacer("SCAN unindexed", "", "SCAN CONSTANT ROW", "").Replace(text), "SCAN") // each search empties it
		}
		if _, allowed := scanned[sql]; bad && !allowed {
			t.Errorf("%s\n  %s", sql, text)
		}
	}
	for sql := range scanned {
		if !prepared[sql] {
			t.Errorf("nothing has prepared %s", sql)
		}
	}
	if len(prepared) < 40 {
		t.Errorf("looked at %d statements only", len(prepared))
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func useStore(ctx context.Context, db *DB) error {
	s, now := db.store, time.Now()
	value := history.SearchTextOf("x")
	r := store.Record{Instance: "i", ExecutionID: 1, FirstExecution: 1, Name: "n", Status: store.StatusRunning, CreatedAt: now, UpdatedAt: now,
		SearchAttributes: history.SearchAttributes{"a": value, "b": value}}
	turn := func(token string) []store.Turn {
		return []store.Turn{{Instance: "i", ExecutionID: 1, Token: token, Events: []history.Event{{Kind: history.OrchestrationStarted, EventID: 1}}}}
	}
	completed := store.StatusCompleted
	errs := []error{
		s.Commit(ctx, store.Commit{Turns: turn("a"), Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r}}),
		s.UpdateRecord(ctx, "i", store.RecordChange{SearchAttributes: history.SearchAttributes{"a": {}}, FoundAt: now, Status: &completed, UpdatedAt: now}),
	}
	if err := s.Commit(ctx, store.Commit{Turns: turn("b")}); !errors.Is(err, store.ErrConflict) {
		errs = append(errs, fmt.Errorf("a second turn: %w", err))
	}
	two := append(turn("c"), store.Turn{Instance: "i", ExecutionID: 2, Token: "c", Events: []history.Event{{Kind: history.OrchestrationStarted, EventID: 1}}})
	two[0], two[1] = two[1], two[0]
	if err := s.Commit(ctx, store.Commit{Turns: two}); !errors.Is(err, store.ErrConflict) {
		errs = append(errs, fmt.Errorf("two turns, one of them a second: %w", err))
	}
	_, err := s.Read(ctx, "i", 1, 1)
	errs = append(errs, err)
	_, err = s.ReadIsolated(ctx, "i", 1, 1)
	errs = append(errs, err)
	_, err = s.look("another")
	errs = append(errs, err)
	equal := store.SearchCondition{Name: "b", Operator: store.SearchEqual, Value: value}
	prefix := store.SearchCondition{Name: "b", Operator: store.SearchPrefix, Value: value}
	greater := store.SearchCondition{Name: "b", Operator: store.SearchGreater, Value: value}
	for _, status := range []store.Status{"", store.StatusCompleted} {
		for _, name := range []string{"", "n"} {
			for _, where := range [][]store.SearchCondition{nil, {equal}, {prefix}, {greater}, {equal, prefix}} {
				for _, ids := range []string{"", "i"} {
					q := store.ListQuery{Status: status, Name: name, Prefix: ids, Where: where}
					_, err := s.List(ctx, q)
					errs = append(errs, err)
					_, err = s.list(ctx, q, nil, "") // more ids than a few
					errs = append(errs, err)
					_, _, err = s.CountByStatus(ctx, q, 1)
					errs = append(errs, err)
				}
			}
		}
	}
	for _, status := range []store.Status{"", store.StatusCompleted} {
		for _, where := range [][]store.SearchCondition{nil, {equal}} {
			for _, found := range []int64{1000, 0} {
				s.indexed.found = found
				for _, words := range []string{"card declined", "nothing"} {
					_, err := s.List(ctx, store.ListQuery{Status: status, Where: where, Words: words})
					errs = append(errs, err)
				}
			}
		}
	}
	failed := &history.Failure{Message: "card declined"}
	errs = append(errs, s.UpdateRecord(ctx, "i", store.RecordChange{Failure: &failed, UpdatedAt: now}))
	_, err = s.List(ctx, store.ListQuery{Words: "card"})
	errs = append(errs, err, s.Hide(ctx, "i", 1, now))
	_, err = s.List(ctx, store.ListQuery{Words: "card"})
	errs = append(errs, err)
	_, err = s.DeleteHistory(ctx, "i", 1, 0)
	a := store.Answer{AnswerKey: store.AnswerKey{Instance: "i", StartID: "s", ID: "u"}, ExecutionID: 1, ExpiresAt: now.Add(store.AnswerRetention), Event: history.Event{Kind: history.SystemCall, EventID: 1}}
	errs = append(errs, err, s.PutAnswer(ctx, a))
	_, err = s.ReadAnswer(ctx, a.AnswerKey)
	errs = append(errs, err)
	_, err = s.DeleteAnswers(ctx, "i", 1)
	return errors.Join(append(errs, err)...)
}

func useActivities(ctx context.Context, db *DB) error {
	a, key, later := db.Activities(), store.ActivityKey{Instance: "i", ExecutionID: 1, EventID: 2}, time.Now().Add(time.Hour)
	_, beat := a.Heartbeat(ctx, key, store.Heartbeat{Attempt: 1}, later)
	_, state := a.State(ctx, key)
	_, read := db.Keys().Key(ctx, "1")
	_, created := db.Keys().Create(ctx, "1", []byte("key"))
	return errors.Join(a.RequestStop(ctx, key, "r", later), beat, state, read, created)
}

func useJournals(ctx context.Context, db *DB) error {
	q, tm := db.Queue("q"), db.Timer()
	if _, err := db.Queues(); err != nil {
		return err
	}
	_, loaded := q.Load()
	_, scheduled := tm.Load()
	for seq := range int64(3) {
		m := journal.Message{Seq: seq}
		m.ID, m.Group, m.DedupID, m.Body, m.SentAt = fmt.Sprint(seq), "g", "d", "b", time.Now()
		q.Sent(m)
	}
	tm.Created(journal.Schedule{Name: "a", Due: time.Now(), Body: "b"})
	if err := db.Flush(ctx); err != nil {
		return err
	}
	db.writer.writeNotes()
	q.Received(0, 2)
	q.Deleted(1)
	tm.Removed("a")
	db.writer.settle()
	db.writer.writeNotes()
	return errors.Join(loaded, scheduled, db.Flush(ctx))
}
