package sqlite

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"

	"github.com/turnstile-go/turnstile/store"
)

// The index of words is an FTS5 table with the trigrams of the texts that store.ListQuery.Words search,
// for the instances that have such texts. Searches bring it up to date, so a write costs nothing for an
// instance that is not indexed yet; if an indexed instance's texts change, the write records it in
// unindexed. The index finds candidates: each record that it finds is checked, as in a scan.
const (
	createWords = "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(texts, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1')"
	dropWords   = "DROP TABLE IF EXISTS words; DELETE FROM unindexed; UPDATE opened SET indexed = 0"
)

// Limits of the index.
const (
	// maxLag is the maximum number of new instances that a search checks without the index.
	// Indexing fewer is not worth a write.
	maxLag = 500
	// maxFound is the maximum number of candidates that are sorted by list key. If there are more, the
	// list keys are scanned in order.
	maxFound = 1000
	// A search indexes at most maxIndexed bytes of texts, of at most maxPassed instances, in
	// transactions of limited size, so that no other write waits for more than one of these
	// transactions.
	maxIndexed, maxPassed     = 128 << 10, 30_000
	indexedAtOnce, passedOnce = 16 << 10, 2_000
)

// indexed is the progress of the index of words; only the writer uses it.
type indexed struct {
	// through is the number of the last instance in the index, including the current transaction;
	// committed is the same number without it.
	through, committed int64
	// lag and found are maxLag and maxFound, except in tests.
	lag, found int64
}

func (x *indexed) load(c *conn) (err error) {
	x.committed, err = c.number("SELECT indexed FROM opened")
	x.through = x.committed
	return err
}

// changed records that the texts of an instance no longer match the index; before is nil if it had no
// record.
func (x *indexed) changed(tx *conn, no int64, before, after *store.Record) error {
	if no > x.through || sameWords(before, after) {
		return nil
	}
	return tx.exec("INSERT OR IGNORE INTO unindexed (no) VALUES (?)", no)
}

func sameWords(a, b *store.Record) bool {
	none := func(r *store.Record) bool {
		return r == nil || r.Failure == nil && r.Problem == nil && r.Suspension == nil && len(r.States) == 0
	}
	switch {
	case none(a) || none(b):
		return none(a) && none(b)
	default:
		return a.Words() == b.Words()
	}
}

// catchUp indexes instances that are not indexed yet, if there are more than a few. It does not return
// errors, because the result of the search does not depend on it; the next write returns the same
// error.
func (s *Store) catchUp(ctx context.Context) {
	behind := false
	if s.readers.read(func(c *conn) error {
		lag, err := c.number("SELECT coalesce((SELECT max(no) FROM instances), 0) - indexed FROM opened")
		if err != nil || lag > s.indexed.lag {
			behind = true
			return err
		}
		n, err := c.number("SELECT EXISTS (SELECT 1 FROM unindexed)")
		behind = n != 0
		return err
	}) != nil {
		return
	}
	for bytes, passed := 0, 0; behind && bytes < maxIndexed && passed < maxPassed; {
		var b, p int
		if s.writer.make(ctx, &write{relaxed: true, apply: func(tx *conn) (err error) {
			b, p, behind, err = s.indexed.more(tx)
			return err
		}}) != nil {
			return
		}
		bytes, passed = bytes+b, passed+p
	}
}

// more indexes as much as one transaction may. It returns the bytes of texts, the number of
// instances that it has read, and whether there are more.
func (x *indexed) more(tx *conn) (bytes, passed int, more bool, err error) {
	if err := tx.exec(createWords); err != nil {
		return 0, 0, false, err
	}
	type entry struct {
		no    int64
		words string
	}
	var all []entry
	last := x.through
	take := func(stmt *sqlite3.Stmt) error {
		if bytes >= indexedAtOnce || passed >= passedOnce {
			more = true
			return errEnough
		}
		passed++
		e := entry{no: stmt.ColumnInt64(0)}
		if stmt.ColumnType(recordColumn) != sqlite3.NULL && mayHaveWords(stmt) {
			r, err := scanRecord(stmt)
			if err != nil {
				return err
			}
			if !r.Purged {
				e.words = indexable(r.Words())
			}
		}
		bytes += len(e.words)
		last = max(last, e.no)
		all = append(all, e)
		return nil
	}
	err = tx.query(take, "SELECT "+recordColumns+" FROM unindexed CROSS JOIN instances USING (no) ORDER BY no")
	changed := len(all)
	if err == nil {
		err = tx.query(take, "SELECT "+recordColumns+" FROM instances WHERE no > ? ORDER BY no", x.through)
	}
	if err != nil && err != errEnough {
		return 0, 0, false, err
	}
	for i, e := range all {
		if i < changed {
			err = tx.exec("DELETE FROM unindexed WHERE no = ?", e.no)
		} else {
			err = nil
		}
		switch {
		case err != nil:
		case e.words != "":
			err = tx.exec("INSERT OR REPLACE INTO words (rowid, texts) VALUES (?, ?)", e.no, e.words)
		case i < changed:
			err = tx.exec("DELETE FROM words WHERE rowid = ?", e.no)
		}
		if err != nil {
			return 0, 0, false, err
		}
	}
	x.through = last
	return bytes, passed, more, tx.exec("UPDATE opened SET indexed = ?", last)
}

// mayHaveWords reports whether a row may have texts, without decoding its record.
func mayHaveWords(s *sqlite3.Stmt) bool {
	return s.ColumnType(statesColumn) != sqlite3.NULL || hasTexts(s.ColumnRawText(recordColumn))
}

// indexable returns a text, or a word, in a form that the index accepts: a NUL would end it.
func indexable(text string) string { return strings.ReplaceAll(text, "\x00", "\uFFFD") }

// maxTrigrams is how many trigrams of the words are searched for.
const maxTrigrams = 32

// trigramsOf returns the FTS5 query that finds each text that may have the words; empty if the words
// are too short.
func trigramsOf(words string) string {
	var terms []string
	for word := range strings.FieldsSeq(indexable(strings.ToLower(words))) {
		for from := range word {
			to := from
			for range 3 {
				_, size := utf8.DecodeRuneInString(word[to:])
				to += size
			}
			if utf8.RuneCountInString(word[from:to]) == 3 && len(terms) < maxTrigrams {
				terms = append(terms, `"`+strings.ReplaceAll(word[from:to], `"`, `""`)+`"`)
			}
		}
	}
	return strings.Join(terms, " AND ")
}

// narrowing selects a few of the instances that a query may select, or excludes instances without
// reading their records.
type narrowing struct {
	// from is the part of the query that finds them, in no order; empty if the narrowing only
	// excludes instances.
	from  string
	where string
	args  []any
}

// mayHave returns the instances that may have the words of a query, from the index and those not
// indexed yet; nil if all have to be checked. The connection reads as of one moment.
func (x *indexed) mayHave(c *conn, trigrams string) (*narrowing, error) {
	through, err := c.number("SELECT indexed FROM opened")
	if err != nil || through == 0 {
		return nil, err
	}
	found, err := c.number("SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)", trigrams, x.found+1)
	if err != nil || found > x.found {
		return nil, err
	}
	beside, err := c.number("SELECT (SELECT count(*) FROM (SELECT 1 FROM unindexed LIMIT ?1)) + (SELECT count(*) FROM (SELECT 1 FROM instances WHERE no > ?2 LIMIT ?1))", x.found+1, through)
	if err != nil {
		return nil, err
	}
	if beside > x.found {
		return &narrowing{where: "(instances.no > ? OR instances.no IN (" + ofIndex + "))", args: []any{through, trigrams}}, nil
	}
	return &narrowing{from: byFound, where: "instances.no IN (" + ofIndex + " UNION ALL SELECT no FROM instances WHERE no > ?)", args: []any{trigrams, through}}, nil
}

// ofIndex selects the indexed instances that may have the words.
const ofIndex = "SELECT rowid FROM words WHERE words MATCH ? UNION ALL SELECT no FROM unindexed"

// byFound finds instances by their numbers, of which there are few.
const byFound = "instances NOT INDEXED"
